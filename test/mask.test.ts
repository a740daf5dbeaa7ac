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

/** How common encoders write a value, each in its own way. */
const ENCODERS: Readonly<Record<string, (value: string) => string>> = {
  "JSON, ASCII only": (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "JSON of PHP": (value) => JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
  "JSON of Go": (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  HTML: (value) =>
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  XML: (value) => value.replace(/[&<>"']/g, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`),
  "a URL, lower case": (value) => encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase()),
  "a URL, strictly": (value) =>
    encodeURIComponent(value).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  "a URL, twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  "a whole URL": (value) => encodeURI(value),
  "a form": (value) => new URLSearchParams({ a: value }).toString().slice(2),
  hexadecimal: (value) => Buffer.from(value).toString("hex"),
  "hexadecimal, upper case": (value) => Buffer.from(value).toString("hex").toUpperCase(),
  "Latin-1": (value) => Buffer.from(value).toString("latin1"),
  "decomposed letters": (value) => value.normalize("NFD"),
  SQL: (value) => value.replaceAll("'", "''"),
  CSV: (value) => value.replaceAll('"', '""'),
  "a shell": (value) => value.replaceAll("'", "'\\''"),
  Markdown: (value) => value.replace(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&"),
};

test.each(Object.keys(ENCODERS))("a value as %s writes it, bare and inside of JSON", (name) => {
  const encode = ENCODERS[name] ?? ((value) => value);
  const signs = fc.constantFrom(..."aZ09bnx /+=&<>'\"\\-_.!|*()%#~éö😀\n\t");
  const secret = fc
    .array(signs, { minLength: 12, maxLength: 40 })
    .map((all) => all.join(""))
    .filter((text) => text.trim() === text && text.replace(/["'\\%]/g, "").length >= 12);
  fc.assert(
    fc.property(secret, (value) => {
      const mask = createMask({ A_TOKEN: value });
      const written = encode(value);
      const inJson = JSON.stringify(written).slice(1, -1);
      for (const form of [written, inJson, JSON.stringify(inJson).slice(1, -1)])
        expect(mask(`before ${form} after`)).toMatch(/^before .*\[masked\].* after$/s);
      expect(mask(`before ${written} after`)).not.toContain(written);
    }),
  );
});

test("a value of quotes and backslashes costs no more than others in a text of quotes and backslashes", () => {
  const mask = createMask({
    A_TOKEN: `${"'".repeat(40)}x`,
    B_TOKEN: `${"\\".repeat(40)}x`,
    C_TOKEN: `${`\\"`.repeat(20)}x`,
  });
  for (const text of ["'", "\\", '"', `\\"`, `\\'`].map((sign) => sign.repeat(20_000)))
    expect(mask(text)).toBe(text);
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
