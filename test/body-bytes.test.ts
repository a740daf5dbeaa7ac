import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyBytes } from "../src/io/body-bytes.ts";

const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "user"), content: fc.string({ unit: "binary" }) }),
  fc.record({ role: fc.constant("system"), content: fc.string({ unit: "grapheme", minLength: 1500 }) }),
  fc.record({ role: fc.constant("assistant"), content: fc.constant(null), name: fc.string() }),
);

test("a body's bytes are what JSON.stringify writes, the second time too", () => {
  fc.assert(
    fc.property(
      fc.record({
        model: fc.string(),
        messages: fc.array(message, { maxLength: 4 }),
        tools: fc.array(fc.jsonValue(), { maxLength: 3 }),
        seed: fc.integer(),
      }),
      (body) => {
        const text = JSON.stringify(body);
        expect(bodyBytes(body).toString("utf8")).toBe(Buffer.from(text).toString("utf8"));
        expect(bodyBytes(body).toString("utf8")).toBe(Buffer.from(text).toString("utf8"));
      },
    ),
  );
  expect(bodyBytes({}).toString()).toBe("{}");
});

test("a system message with more than role and content is not taken for one without", () => {
  const content = "x".repeat(2000);
  const [plain, named] = [
    { role: "system", content },
    { role: "system", content, name: "n" },
  ];
  bodyBytes({ messages: [plain] });
  expect(bodyBytes({ messages: [named] }).toString()).toBe(JSON.stringify({ messages: [named] }));
});
