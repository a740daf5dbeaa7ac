import { whatSettles } from "../compare/settle.ts";
import type { PairedCase } from "../compare/pairs.ts";
import { uncertainty } from "../compare/uncertainty.ts";
import { observedVariance } from "../compare/variance.ts";
import { verdictOf } from "../compare/verdict.ts";
import type { Estimate } from "../nouns/summary.ts";
import { clamp, type Interval } from "../stats/interval.ts";
import { randomFrom } from "../stats/random.ts";
import { tInterval } from "../stats/t-interval.ts";
import { wilson } from "../stats/wilson.ts";
import { count } from "../text/count.ts";
import { signedFigure } from "../text/figures.ts";
import { mean } from "./means.ts";
import type { HumanDifference } from "./schema.ts";

/** The lowest and the highest score: an interval of a mean goes no further. */
const SCALE = { low: 1, high: 5 } as const;
/** The scale is four points wide: the gate's margin, a share of 0 to 1, is that share of four points. */
const WIDTH = SCALE.high - SCALE.low;

/** How the difference is judged. */
export interface JudgeOptions {
  /** 1 − the intervals' level. */
  readonly alpha: number;
  /** How much worse still counts as the same, as a share of the scale. */
  readonly margin: number;
  readonly seed: number;
}

/**
 * Mean over cases with its t interval, cut to the scale; no interval from fewer than two cases. Where all are equal a t
 * interval has no width: it is Wilson's over the cases, as that of a share. Four fives are no certain 5.
 */
export function estimateOf(values: readonly number[], alpha: number): Estimate {
  const cases = values.length;
  const t = tInterval(values, alpha);
  if (t === null) return { mean: cases === 0 ? null : mean(values), low: null, high: null, cases };
  const shares = values.map((value) => (value - SCALE.low) / WIDTH);
  const wide = t.se < 1e-12 ? scoreInterval(shares, alpha) : t;
  return { mean: t.mean, ...clamp(wide, SCALE.low, SCALE.high), cases };
}

/** Wilson's interval on the scale: no values of 0 to 1 vary more about their mean than 0s and 1s. */
function scoreInterval(shares: readonly number[], alpha: number): Interval {
  const rate = Math.min(1, Math.max(0, mean(shares)));
  const { low, high } = wilson(rate, shares.length, alpha);
  return { low: SCALE.low + low * WIDTH, high: SCALE.low + high * WIDTH };
}

/** The paired difference over the cases that both arms have: interval, sign-flip p and verdict as of any metric. */
export function differenceOf(
  baseline: ReadonlyMap<string, readonly number[]>,
  candidate: ReadonlyMap<string, readonly number[]>,
  options: JudgeOptions,
): HumanDifference {
  const cases = pairsOf(baseline, candidate);
  const steps = stepsOf(cases);
  // In whole steps, so that the sign flip is exact; the results are brought back to points.
  const found = uncertainty(
    cases.map((one) => scaled(one, steps)),
    {
      share: false,
      range: WIDTH * steps,
      alpha: options.alpha,
      random: randomFrom(options.seed),
    },
  );
  const points = (value: number | null): number | null => (value === null ? null : value / steps);
  const interval =
    found.interval === null ? null : { low: found.interval.low / steps, high: found.interval.high / steps };
  const difference = points(found.difference);
  const margin = options.margin * WIDTH;
  const verdict = verdictOf({
    ...{ difference, interval, p: found.p, cases: cases.length, sign: 1, margin },
    ...{ alpha: options.alpha, shareMargin: options.margin },
  });
  const result = {
    ...{
      difference,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      se: points(found.se),
      p: found.p,
    },
    ...{ cases: cases.length, verdict, notes: [...found.notes] },
  };
  const settle = verdict === "unsure" ? settling(cases, difference, margin, options.alpha) : "";
  return { ...result, sentence: sentenceOf({ ...result, interval, margin, settle }) };
}

function pairsOf(
  baseline: ReadonlyMap<string, readonly number[]>,
  candidate: ReadonlyMap<string, readonly number[]>,
): PairedCase[] {
  return [...baseline].flatMap(([id, before]) => {
    const after = candidate.get(id);
    return after === undefined ? [] : [{ id, baseline: before, candidate: after }];
  });
}

/** The smallest number that makes whole numbers of all values (means over raters and repeats), or 1. */
function stepsOf(cases: readonly PairedCase[]): number {
  const values = cases.flatMap((one) => [...one.baseline, ...one.candidate]);
  const whole = (steps: number): boolean =>
    values.every((value) => Math.abs(value * steps - Math.round(value * steps)) < 1e-9);
  for (let steps = 1; steps <= 60; steps += 1) if (whole(steps)) return steps;
  return 1;
}

function scaled({ id, baseline, candidate }: PairedCase, steps: number): PairedCase {
  const times = (values: readonly number[]): number[] =>
    values.map((value) => (steps === 1 ? value : Math.round(value * steps)));
  return { id, baseline: times(baseline), candidate: times(candidate) };
}

function settling(
  cases: readonly PairedCase[],
  difference: number | null,
  margin: number,
  alpha: number,
): string {
  const settle = whatSettles({
    ...{ cases: cases.length, margin, toward: difference ?? 0, alpha, share: false },
    observed: observedVariance(cases),
  });
  return settle.cases === null
    ? " More cases must be scored in both arms: two at the least."
    : ` About ${settle.cases} cases scored in both arms would settle it.`;
}

function sentenceOf(found: {
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly cases: number;
  readonly verdict: HumanDifference["verdict"];
  readonly margin: number;
  readonly settle: string;
}): string {
  const { difference, interval, cases, verdict, margin, settle } = found;
  if (difference === null) return `No case was scored in both arms.${settle}`;
  const range =
    interval === null
      ? ""
      : ` (interval ${signedFigure(interval.low, false)} to ${signedFigure(interval.high, false)})`;
  const seen = `${signedFigure(difference, false)} points${range} over ${count(cases, "case")}`;
  switch (verdict) {
    case "worse":
      return `People score the candidate lower: ${seen}.`;
    case "better":
      return `People score the candidate higher: ${seen}.`;
    case "same":
      return `People score both alike: ${seen}; a loss of ${margin.toFixed(2)} points or more is excluded.`;
    case "unsure":
      return `Not clear yet: ${seen}.${settle}`;
  }
}
