import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { junitReport } from "../../src/core/report/junit.ts";
import { makeRun, marks } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";

const texts = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary", maxLength: 60 }));

test("whatever cases and versions are called, an XML parser reads JUnit as two suites with the same tests", () => {
  fc.assert(
    fc.property(texts, texts, (text, label) => {
      const id = text === "" ? "x" : text;
      const { record, summary } = makeRun({
        cases: [id],
        trials: marks(id, "11", "00"),
        candidate: { variant: label },
      });
      const xml = junitReport(record, summary);
      expect(XMLValidator.validate(xml)).toBe(true);
      const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml);
      expect(Object.keys(testsuites).sort()).toEqual(
        ["@_errors", "@_failures", "@_name", "@_skipped", "@_tests", "testsuite"].sort(),
      );
      expect(testsuites.testsuite).toHaveLength(2);
      expect(testsuites["@_tests"]).toBe("2");
    }),
  );
});
