import { expect, test } from "vitest";
import {
  agreementInWords,
  INTERVAL,
  kappaOfTable,
  krippendorffAlpha,
  LINEAR,
  NOMINAL,
  ORDINAL,
  QUADRATIC,
  UNWEIGHTED,
  weightedKappa,
} from "../src/core/human/agreement.ts";

const close = (figure: { value: number | null }, value: number) => expect(figure.value).toBeCloseTo(value, 6);

test("kappa of a table: unweighted, linear, quadratic", () => {
  const table = [
    [10, 2, 0],
    [3, 12, 4],
    [1, 2, 16],
  ];
  close(kappaOfTable(table, UNWEIGHTED), 0.635922);
  close(kappaOfTable(table, LINEAR), 0.698236);
  close(kappaOfTable(table, QUADRATIC), 0.763108);
});

test("kappa of R's SexualFun", () => {
  const table = [
    [7, 7, 2, 3],
    [2, 8, 3, 7],
    [1, 5, 4, 9],
    [2, 8, 9, 14],
  ];
  close(kappaOfTable(table, UNWEIGHTED), 0.12933);
  close(kappaOfTable(table, LINEAR), 0.237381);
  close(kappaOfTable(table, QUADRATIC), 0.332046);
});

test("Cohen 1968, with his own costs", () => {
  const table = [
    [88, 10, 2],
    [14, 40, 6],
    [18, 10, 12],
  ];
  const costs = [
    [0, 1, 3],
    [1, 0, 6],
    [3, 6, 0],
  ];
  close(kappaOfTable(table, UNWEIGHTED), 0.491525);
  close(
    kappaOfTable(table, (i, j) => costs[i]?.[j] ?? 0),
    0.347826,
  );
  close(
    kappaOfTable(
      [
        [20, 5],
        [10, 15],
      ],
      UNWEIGHTED,
    ),
    0.4,
  );
});

test("quadratic kappa of pairs counts the scores' own distances", () => {
  const other = [1, 3, 1, 6, 1, 5, 5, 6, 7];
  close(weightedKappa(other.map((b, at) => [at + 1, b])), 0.677966);
});

const _ = null;
const krippendorff2011 = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
  [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
];
const units = Array.from({ length: 12 }, (_unused, unit) =>
  krippendorff2011.map((rater) => rater[unit] ?? null),
);

test("Krippendorff 2011: four raters, twelve units, missing values", () => {
  close(krippendorffAlpha(units, NOMINAL), 0.743421);
  close(krippendorffAlpha(units, ORDINAL), 0.815388);
  close(krippendorffAlpha(units, INTERVAL), 0.849107);
});

test("alpha of small tables", () => {
  const ordinal = [
    [1, 1],
    [3, 4],
    [5, 5],
  ];
  close(krippendorffAlpha(ordinal, ORDINAL), 94 / 99);
  const interval = [
    [1, 2],
    [3, 4],
    [1, 1],
  ];
  close(krippendorffAlpha(interval, INTERVAL), 19 / 24);
  const nominal = [
    [1, 1, 1],
    [0, 0, 0],
    [1, 1, 1],
    [0, 0, 1],
  ];
  close(krippendorffAlpha(nominal, NOMINAL), 24 / 35);
});

test("undefined is null with a reason, never 0 or 1", () => {
  const allFive = [
    [5, 5],
    [5, 5],
  ] as const;
  expect(weightedKappa(allFive)).toEqual({
    value: null,
    reason: expect.stringContaining("one and the same"),
  });
  expect(krippendorffAlpha(allFive, ORDINAL)).toEqual({ value: null, reason: expect.any(String) });
  expect(weightedKappa([])).toEqual({ value: null, reason: expect.stringContaining("two raters") });
  expect(krippendorffAlpha([[3], [4, null]], ORDINAL)).toEqual({ value: null, reason: expect.any(String) });
  expect(agreementInWords({ value: null, reason: "nobody came" })).toContain("nobody came");
});

// BR-097: empty cells counted as a label of their own and raised the agreement.
test("a blank is missing, left out pairwise; 0 is a score", () => {
  const ratings = [
    [3, 3],
    [null, null],
    [2, null],
    [0, 0],
    [null, 4],
  ] as const;
  expect(weightedKappa(ratings)).toEqual(
    weightedKappa([
      [3, 3],
      [0, 0],
    ]),
  );
  expect(weightedKappa(ratings).value).toBe(1);
  expect(krippendorffAlpha(ratings, ORDINAL).value).toBe(1);
});
