import fc from "fast-check";
import { expect, test } from "vitest";
import { createMask, maskJson } from "../src/io/mask.ts";

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

test("JSON stays JSON of the same shape: numbers, syntax and the words of our own files are no secrets", () => {
  const mask = createMask({
    A_KEY: "33333333",
    B_TOKEN: '":{"mean":',
    C_SECRET: "finished",
    D_PASSWORD: "hunter22hunter22",
  });
  const value = {
    status: "finished",
    mean: 0.33333333,
    inner: { mean: 33333333, text: 'a 33333333 and ":{"mean": and hunter22hunter22' },
    hunter22hunter22: 1,
    raw: JSON.stringify({ password: "hunter22hunter22", n: 33333333 }),
  };
  expect(JSON.parse(maskJson(mask, JSON.stringify(value)))).toEqual({
    status: "finished",
    mean: 0.33333333,
    inner: { mean: 33333333, text: "a [masked] and [masked] and [masked]" },
    "[masked]": 1,
    raw: '{"password":"[masked]","n":[masked]}',
  });
});

test("a JSON text is masked as any text is, and nothing else of it changes", () => {
  const mask = createMask({ API_KEY: key });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(maskJson(mask, text)).toBe(text);
      expect(JSON.parse(maskJson(mask, JSON.stringify([value, key, { [key]: value }])))).toEqual([
        JSON.parse(text),
        "[masked]",
        { "[masked]": JSON.parse(text) },
      ]);
    }),
  );
});

test("passwords in addresses, and under other names", () => {
  const mask = createMask({
    DATABASE_URL: "postgres://somebody:s3cret-w0rd@db.example.test:5432/x",
    SMTP_PASS: "smtp-secret-1",
    SENTRY_DSN: "https://abcdef0123456789@sentry.example.test/1",
    SESSION_COOKIE: "session=abcdefgh",
    HOMEPAGE: "https://example.test/a:b@c",
  });
  for (const text of [
    "s3cret-w0rd",
    "smtp-secret-1",
    "https://abcdef0123456789@sentry.example.test/1",
    "session=abcdefgh",
  ])
    expect(mask(`x ${text} y`)).toBe("x [masked] y");
  expect(mask("somebody db.example.test https://example.test/a:b@c")).toContain(
    "db.example.test https://example.test/a:b@c",
  );
});
