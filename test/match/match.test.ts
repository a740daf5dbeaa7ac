import fc from "fast-check";
import { keysDiffer } from "../../src/core/match/value.ts";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/core/match/arguments.ts";
import { type ActualCall, callDiffers, matchCalls } from "../../src/core/match/calls.ts";
import { checkMatchers } from "../../src/core/match/check.ts";
import { explainMatch } from "../../src/core/match/explain.ts";
import { fitsOf, maximumMatching, orderedMatching } from "../../src/core/match/pairing.ts";
import { compileSchema } from "../../src/core/match/schema.ts";
import { ABSENT, differs } from "../../src/core/match/value.ts";
import type { ExpectedCall, MatchMode } from "../../src/core/nouns/case.ts";
import { sameJson } from "../../src/core/text/json.ts";

const call = (name: string, raw = "{}"): ActualCall => ({ name, raw, arguments: parseArguments(raw) });
const calls = (names: string): ActualCall[] => [...names].map((name) => call(name));
const wanted = (names: string): ExpectedCall[] => [...names].map((name) => ({ name }));

describe("match modes", () => {
  const modes: MatchMode[] = ["strict", "unordered", "subset", "superset", "in_order"];
  test.each([
    // expected, actual, strict, unordered, subset, superset, in_order
    ["ab", "ab", true, true, true, true, true],
    ["ab", "ba", false, true, true, true, false],
    ["ab", "acb", false, false, false, true, true],
    ["ab", "bca", false, false, false, true, false],
    ["ab", "a", false, false, true, false, false],
    ["ab", "", false, false, true, false, false],
    ["", "", true, true, true, true, true],
    ["", "a", false, false, false, true, true],
    ["aa", "a", false, false, true, false, false],
    ["a", "aa", false, false, false, true, true],
  ])("expected %j, came %j", (expected, actual, ...holds) => {
    const found = modes.map((mode) => matchCalls(mode, wanted(expected), calls(actual)).holds);
    expect(found).toEqual(holds);
  });
});

describe("pairing", () => {
  test("is maximal where greedy is not: the wide expectation leaves the narrow one its only call", () => {
    const expected = [{ name: "f" }, { name: "f", args: { a: 1 } }];
    const actual = [call("f", '{"a":1}'), call("f", '{"a":2}')];
    expect(matchCalls("unordered", expected, actual).pairs).toEqual([1, 0]);
  });

  const table = fc
    .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
    .chain(([left, right]) =>
      fc.array(fc.array(fc.boolean(), { minLength: right, maxLength: right }), {
        minLength: left,
        maxLength: left,
      }),
    );
  const size = (pairs: readonly (number | null)[]) => pairs.filter((pair) => pair !== null).length;

  test("maximum matching is valid and as large as any found by trying all", () => {
    const best = (fits: readonly (readonly boolean[])[], at: number, used: ReadonlySet<number>): number => {
      if (at === fits.length) return 0;
      const options = (fits[at] ?? []).flatMap((fit, r) =>
        fit && !used.has(r) ? [1 + best(fits, at + 1, new Set([...used, r]))] : [],
      );
      return Math.max(best(fits, at + 1, used), ...options);
    };
    fc.assert(
      fc.property(table, (fits) => {
        const pairs = maximumMatching(fits);
        const taken = pairs.filter((pair) => pair !== null);
        expect(new Set(taken).size).toBe(taken.length);
        for (const [l, r] of pairs.entries()) if (r !== null) expect(fits[l]?.[r]).toBe(true);
        expect(size(pairs)).toBe(best(fits, 0, new Set()));
      }),
      { numRuns: 500 },
    );
  });

  test("ordered matching keeps both orders and is the longest such", () => {
    const best = (fits: readonly (readonly boolean[])[], l: number, from: number): number =>
      l === fits.length
        ? 0
        : Math.max(
            best(fits, l + 1, from),
            ...(fits[l] ?? []).flatMap((fit, r) => (fit && r >= from ? [1 + best(fits, l + 1, r + 1)] : [])),
          );
    fc.assert(
      fc.property(table, (fits) => {
        const taken = orderedMatching(fits).filter((pair) => pair !== null);
        expect([...taken].sort((a, b) => a - b)).toEqual(taken);
        expect(taken.length).toBe(best(fits, 0, 0));
      }),
      { numRuns: 500 },
    );
  });

  test("3,000 calls against 60 expectations take well under a second", () => {
    const fits = fitsOf(60, 3000, (l, r) => r % 60 >= l);
    expect(size(maximumMatching(fits))).toBe(60);
    expect(size(orderedMatching(fits))).toBe(60);
  });
});

describe("argument values", () => {
  test("compare by JSON type and value (BR-081)", () => {
    const expected = { name: "area", args: { base: 10, height: 5 } };
    const found = (raw: string) => callDiffers(expected, call("area", raw)).map((one) => one.path);
    expect(found('{"height":5.0,"base":10.0}')).toEqual([]);
    expect(found('{"height":5.0,"base":999}')).toEqual(["base"]);
    expect(found('{"height":"5","base":10}')).toEqual(["height"]);
    expect(found('{"base":10,"height":5,"unit":"cm"}')).toEqual([]);
    expect(callDiffers({ ...expected, exact: true }, call("area", '{"base":10,"height":5,"u":1}'))).toEqual([
      { path: "u", expected: "nothing", came: "1" },
    ]);
  });

  test("nested values are equal as a whole; key order is free, item order is not", () => {
    expect(sameJson({ a: [1, { b: null }], c: 2 }, { c: 2, a: [1, { b: null }] })).toBe(true);
    expect(sameJson([1, 2], [2, 1])).toBe(false);
    expect(sameJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(sameJson(null, {})).toBe(false);
    expect(sameJson({}, JSON.parse('{"__proto__":1}'))).toBe(false);
    expect(differs({ limit: 5 }, { limit: 5, more: true }, "filter")?.path).toBe("filter.more");
  });

  test.each([
    [{ $any: true }, null, true],
    [{ $any: true }, ABSENT, false],
    [{ $absent: true }, ABSENT, true],
    [{ $absent: true }, null, false],
    [{ $absent: false }, 0, true],
    [{ $regex: "^rm -r" }, "rm -rf /", true],
    [{ $regex: "b+$" }, "aab", true],
    [{ $regex: "1" }, 1, false],
    [{ $contains: "ell" }, "hello", true],
    [{ $contains: 2 }, [1, 2], true],
    [{ $contains: { a: 1 } }, { a: 1, b: 2 }, true],
    [{ $contains: { a: { $gte: 3 } } }, [{ a: 1 }, { a: 4 }], true],
    [{ $oneOf: ["a", { $regex: "^b" }] }, "bcd", true],
    [{ $oneOf: [1, 2] }, "1", false],
    [{ $gte: 3, $lte: 5 }, 5, true],
    [{ $gte: 3, $lte: 5 }, 6, false],
    [{ $gte: 3 }, "4", false],
    [{ $contains: "a", $regex: "c$" }, "abc", true],
    [{ $contains: "a", $regex: "c$" }, "cba", false],
  ])("%j against %j", (expected, actual, holds) => {
    expect(differs(expected, actual, "key") === null).toBe(holds);
  });

  test("a nested quantifier that hangs a backtracking engine is answered at once", () => {
    expect(differs({ $regex: "^(a+)+$" }, `${"a".repeat(50_000)}b`, "x")).not.toBeNull();
    const check = compileSchema({
      type: "object",
      properties: { x: { type: "string", pattern: "^(a+)+$" } },
    });
    expect(check({ x: `${"a".repeat(50_000)}b` })).toEqual(['x: String does not match pattern "^(a+)+$"']);
    expect(check({ x: "aaa" })).toEqual([]);
  });
});

describe("arguments", () => {
  test.each([
    ["", {}],
    ["  \n", {}],
    ["{}", {}],
    ['{"a":1}', { a: 1 }],
  ])("%j is an object", (raw, value) => {
    expect(parseArguments(raw)).toEqual({ ok: true, value });
  });
  test.each([
    ["null", "are null: null"],
    ["[1,2]", "are an array: [1,2]"],
    ['"x"', 'are a string: "x"'],
    ["7", "are a number: 7"],
    ['{"a":', 'are not valid JSON: {"a":'],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "are nested deeper than 100 levels"],
    [`{"a":${"[".repeat(500)}${"]".repeat(500)}}`, "are nested deeper than 100 levels"],
  ])("%.40j is refused (BR-043)", (raw, why) => {
    expect(parseArguments(raw)).toEqual({ ok: false, why });
  });
  test("__proto__ is a key like any other", () => {
    const parsed = parseArguments('{"__proto__":{"polluted":true}}');
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(
      callDiffers({ name: "f", args: { polluted: true } }, call("f", '{"__proto__":{"polluted":true}}')),
    ).toHaveLength(1);
  });
});

test("matchers are checked when a case is read", () => {
  const wrong = (value: unknown) => checkMatchers(value).map((one) => `${one.key.join(".")}: ${one.message}`);
  expect(wrong({ url: { $regex: "a(?=b)" } })[0]).toMatch(
    /^url\.\$regex: not a regular expression in RE2 syntax/,
  );
  expect(wrong({ url: { $regexp: "a" } })[0]).toMatch(
    /^url\.\$regexp: unknown matcher \$regexp; there are \$any, /,
  );
  expect(wrong({ n: { $gte: "3" } })).toEqual(["n.$gte: $gte takes a number"]);
  expect(wrong({ n: { $gte: 3, x: 1 } })).toEqual([
    "n: matchers ($gte) and plain keys can't stand in one object",
  ]);
  expect(wrong({ n: [{ $oneOf: [{ $any: false }] }] })).toEqual(["n.0.$oneOf.0.$any: $any takes true"]);
  expect(wrong({ a: { $contains: { b: { $lte: 4 } } }, c: null })).toEqual([]);
});

describe("explanations", () => {
  const explain = (mode: MatchMode, expected: ExpectedCall[], actual: ActualCall[]) =>
    explainMatch(mode, expected, actual, matchCalls(mode, expected, actual));

  test("name what is missing with the closest call, and what is extra", () => {
    const expected = [{ name: "area", args: { base: 10, height: 5 } }, { name: "load_skill" }];
    const actual = [call("area", '{"base":999,"height":5}'), call("other", '{"x":1}')];
    expect(explain("unordered", expected, actual)).toBe(
      [
        'missing: area({"base":10,"height":5}); closest is call 1: base expected 10, came 999',
        "missing: load_skill(…); load_skill was not called",
        'extra (see the missing call above): area({"base":999,"height":5})',
        'extra: other({"x":1})',
      ].join("\n"),
    );
  });
  test("say when only the order is wrong", () => {
    expect(explain("in_order", wanted("ab"), calls("bca"))).toBe(
      "all 2 expected calls came, in another order: b, c, a",
    );
  });
  test("say what held", () => {
    expect(explain("superset", wanted("a"), calls("ba"))).toBe(
      "all 1 expected call came, and 1 more, which superset allows",
    );
    expect(explain("strict", [], [])).toBe("no calls, as expected");
  });
  test("never come empty when a match does not hold", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 }).map((list) => list.join(""));
    const mode = fc.constantFrom<MatchMode>("strict", "unordered", "subset", "superset", "in_order");
    fc.assert(
      fc.property(mode, names, names, (one, expected, actual) => {
        expect(explain(one, wanted(expected), calls(actual))).not.toBe("");
      }),
    );
  });
});

test("texts that look the same and are not: the difference says why", () => {
  const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
  const found = keysDiffer({ place: composed }, { place: decomposed });
  expect(found).toHaveLength(1);
  expect(found[0]?.came).toContain("another Unicode form");
  expect(keysDiffer({ place: composed }, { place: "cafe" })[0]?.came).toBe('"cafe"');
});
