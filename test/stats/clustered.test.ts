import { expect, test } from "vitest";
import { clusterJackknife } from "../../src/core/stats/cluster-jackknife.ts";
import { clusteredShare } from "../../src/core/stats/clustered-share.ts";
import { mean } from "../../src/core/stats/moments.ts";
import { randomFrom } from "../../src/core/stats/random.ts";
import { tInterval } from "../../src/core/stats/t-interval.ts";
import { wilson } from "../../src/core/stats/wilson.ts";

const ones = (count: number, of: number) => Array.from({ length: of }, (_, at) => [at < count ? 1 : 0]);

test("a clustered share: repeats of one answer are no evidence, equal values have a width", () => {
  const single = clusteredShare(ones(14, 20), 0.05);
  const fourfold = clusteredShare(
    ones(14, 20).map(([value = 0]) => [value, value, value, value]),
    0.05,
  );
  expect(fourfold?.low).toBeCloseTo(single?.low ?? 0, 10);
  expect(fourfold?.high).toBeCloseTo(single?.high ?? 0, 10);
  // A little wider than Wilson's, which knows of no few clusters.
  const plain = wilson(0.7, 20, 0.05);
  expect(single?.low).toBeLessThan(plain.low);
  expect(single?.low).toBeGreaterThan(plain.low - 0.03);
  const all = clusteredShare([[1, 1, 1], [1, 1], [1], [1, 1]], 0.05);
  expect(all?.high).toBe(1);
  expect(all?.low).toBeLessThan(0.5);
  expect(clusteredShare([[1, 0, 1]], 0.05)).toBeNull();
  expect(clusteredShare([], 0.05)).toBeNull();
});

test("a clustered share covers nearly as often as it says in simulations, with cases alike and without", () => {
  const random = randomFrom(11);
  for (const [cases, each, alike, share] of [
    [12, 3, 0.6, 0.8],
    [30, 3, 0.6, 0.9],
    [30, 1, 0, 0.7],
  ] as const) {
    let covered = 0;
    for (let draw = 0; draw < 1500; draw += 1) {
      const clusters = Array.from({ length: cases }, () => {
        const own = random() < share;
        return Array.from({ length: each }, () => ((random() < alike ? own : random() < share) ? 1 : 0));
      });
      const interval = clusteredShare(clusters, 0.05);
      if (interval !== null && interval.low <= share && share <= interval.high) covered += 1;
    }
    expect(covered / 1500).toBeGreaterThan(0.925);
  }
});

test("the jackknife of a mean is Student's interval; without spread it says nothing", () => {
  const jackknife = (values: readonly number[], of: (some: readonly number[]) => number | null = mean) =>
    clusterJackknife(values.length, of(values), (left) => of(values.filter((_, at) => at !== left)), 0.05);
  const values = [0.2, 0.5, 0.9, 0.1, 0.7];
  const known = tInterval(values, 0.05);
  const found = jackknife(values);
  expect(found?.low).toBeCloseTo(known?.low ?? 0, 12);
  expect(found?.high).toBeCloseTo(known?.high ?? 0, 12);
  expect(jackknife([1, 1, 1])).toBeNull();
  expect(jackknife([1])).toBeNull();
  expect(jackknife([1, 2, 3], (some) => (some.length < 3 ? null : mean(some)))).toBeNull();
});
