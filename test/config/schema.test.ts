import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { ALL_FLAGS } from "../../src/core/config/flags.ts";
import { publishedSchemas } from "../../src/core/config/json-schema.ts";
import { SETTING_PATHS, settingName } from "../../src/core/config/keys.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const validator = (name: string) =>
  new Validator(JSON.parse(publishedSchemas().get(name) ?? "{}"), "2020-12", false);
const documents = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.toJS());

test("docs/schema/ is current: npm run schema writes it", () => {
  for (const [name, text] of publishedSchemas()) expect(read(`docs/schema/${name}`)).toBe(text);
});

test("the published schemas take the examples and refuse unknown keys", () => {
  const cases = validator("case.schema.json");
  for (const path of ["test/cases/fixtures/contract.yaml", "templates/cases/first.yaml"]) {
    for (const one of documents(read(path))) expect(cases.validate(one).errors).toEqual([]);
  }
  expect(cases.validate({ turns: [{ user: "x" }], expct: {} }).valid).toBe(false);
  expect(cases.validate({ turns: [] }).valid).toBe(false);
  const config = validator("config.schema.json");
  expect(config.validate(documents(read("templates/evalkit.yaml"))[0]).errors).toEqual([]);
  const both = {
    "base-url": "http://x",
    tierDir: ".paicli",
    gate: { "allow-removed": ["a"] },
    cases: "cases",
  };
  expect(config.validate(both).errors).toEqual([]);
  expect(config.validate({ "base-ulr": "x" }).valid).toBe(false);
  expect(config.validate({ gate: { margn: 1 } }).valid).toBe(false);
});

test("docs/configuration.md names every setting and its flag", () => {
  const text = read("docs/configuration.md");
  const missing = SETTING_PATHS.filter((path) => {
    const name = settingName(path);
    const flag = ALL_FLAGS.find((one) => settingName(one.path) === name);
    const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    return row === "" || (flag !== undefined && !row.includes(`${flag.name}`));
  });
  expect(missing).toEqual([]);
});
