import fc from "fast-check";
import { expect, test } from "vitest";
import { createMask } from "../src/io/mask.ts";

const key = "test-key-0123456789abcdef";

test("values of variables that look like keys, in all forms a text may hold them", () => {
  const value = 'p@ss "wörd"/+01';
  const mask = createMask({
    SOME_PASSWORD: value,
    EVALKIT_API_KEY: key,
    PATH: "/usr/bin:/bin",
    HOME: "/home/somebody",
  });
  const forms = [
    value,
    JSON.stringify({ value }),
    JSON.stringify(JSON.stringify({ value })),
    encodeURIComponent(value),
    key,
  ];
  for (const form of forms) expect(mask(`before ${form} after`)).toMatch(/^before .*\[masked\].* after$/);
  for (const before of ["", "u:", "user:"]) {
    const encoded = Buffer.from(`${before}${key}:x`).toString("base64");
    expect(mask(`Basic ${encoded}`)).not.toContain(encoded.slice(6, 24));
  }
  expect(mask("/usr/bin:/bin /home/somebody")).toBe("/usr/bin:/bin /home/somebody");
});

test("values of headers; ordinary headers and short values are no secrets", () => {
  const mask = createMask(
    { OPENAI_API_KEY: "none", MAX_TOKENS: "12345678" },
    {
      Authorization: `Bearer ${key}`,
      "api-key": "abcdefgh12",
      "Content-Type": "application/json",
      "X-Title": "evalkit tests",
    },
  );
  expect(mask(`${key} abcdefgh12 none 12345678 application/json evalkit tests`)).toBe(
    "[masked] [masked] none 12345678 application/json evalkit tests",
  );
});

test("whatever has the shape of a key; ordinary words stay", () => {
  const mask = createMask({});
  expect(mask("sk-proj-abcDEF0123456789xyz")).toBe("[masked]");
  expect(mask("Authorization: Bearer abcdef.0123456789-xyz==")).toBe("Authorization: Bearer [masked]");
  for (const text of [
    "task-management-for-everybody",
    "sk-learn-and-other-libraries",
    "Basic responsibilities of Bearer documentation",
  ]) {
    expect(mask(text)).toBe(text);
  }
});

test("no value survives, whatever it is and wherever it stands", () => {
  const secret = fc.string({ minLength: 8, unit: "grapheme" }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const mask = createMask({ A_TOKEN: value });
      for (const text of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
        expect(mask(`${before}${text}${after}`)).toContain("[masked]");
      }
    }),
  );
});
