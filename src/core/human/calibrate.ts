import { ARMS, type Arm } from "../nouns/score.ts";
import { normalQuantile } from "../stats/distribution.ts";
import { clamp, type Interval } from "../stats/interval.ts";
import { clusteredShare, effectiveSize } from "../stats/clustered-share.ts";
import { groupBy, mean } from "./means.ts";
import { shareText } from "../text/figures.ts";

/** One output that a judge model judged. `human`: what people say of it, null where nobody scored it. */
export interface JudgedTrial {
  readonly case: string;
  readonly arm: Arm;
  readonly judge: boolean;
  readonly human: boolean | null;
}

/** People's passes and fails by the judge's word. */
export interface Confusion {
  /** Both say pass. */
  readonly truePass: number;
  /** The judge passes what people fail. */
  readonly falsePass: number;
  readonly falseFail: number;
  readonly trueFail: number;
}

/**
 * A share with its count and an interval that allows for trials of a case being alike: Wilson's at the `effective` number of
 * independent ones. Null where nothing was counted; no interval from one case.
 */
export interface Share {
  readonly rate: number | null;
  readonly of: number;
  readonly effective: number | null;
  readonly interval: Interval | null;
}

/** What is known of the judge on some outputs. */
export interface Calibration {
  /** Outputs that the judge judged; the corrected rate speaks of all of them. */
  readonly judged: number;
  /** The judge's own pass rate. */
  readonly raw: number | null;
  readonly confusion: Confusion;
  /** Of what people pass, the share that the judge passes. */
  readonly sensitivity: Share;
  /** Of what people fail, the share that the judge fails. */
  readonly specificity: Share;
  readonly corrected: Corrected;
}

/** The pass rate that people would give, worked out from the judge's; or why it can't be. */
export type Corrected =
  | { readonly rate: number; readonly se: number; readonly low: number; readonly high: number }
  | { readonly rate: null; readonly reason: string };

/** Passes and fails of people below which nothing is said about a judge. */
export const LABELS_NEEDED = 30;

/** The judge held against people: over all outputs and in each arm. */
export function calibrate(trials: readonly JudgedTrial[], alpha: number): Record<Arm | "all", Calibration> {
  const [baseline, candidate] = ARMS.map((arm) =>
    calibrateOne(
      trials.filter((trial) => trial.arm === arm),
      alpha,
    ),
  );
  const all = calibrateOne(trials, alpha);
  return { all, baseline: baseline ?? all, candidate: candidate ?? all };
}

function calibrateOne(trials: readonly JudgedTrial[], alpha: number): Calibration {
  const count = (judge: boolean, human: boolean): number =>
    trials.filter((trial) => trial.judge === judge && trial.human === human).length;
  const confusion = {
    truePass: count(true, true),
    falsePass: count(true, false),
    falseFail: count(false, true),
    trueFail: count(false, false),
  };
  const [passes, fails] = [true, false].map((word) => trials.filter(({ human }) => human === word));
  const sensitivity = shareOf(passes ?? [], (trial) => trial.judge, alpha);
  const specificity = shareOf(fails ?? [], (trial) => !trial.judge, alpha);
  const passed = shareOf(trials, (trial) => trial.judge, alpha);
  return {
    judged: trials.length,
    raw: passed.rate,
    confusion,
    sensitivity,
    specificity,
    corrected: correctedOf(passed, sensitivity, specificity, alpha),
  };
}

function shareOf(
  trials: readonly JudgedTrial[],
  holds: (trial: JudgedTrial) => boolean,
  alpha: number,
): Share {
  const of = trials.length;
  if (of === 0) return { rate: null, of, effective: null, interval: null };
  const clusters = [...groupBy(trials, (trial) => trial.case).values()].map((own) =>
    own.map((trial) => (holds(trial) ? 1 : 0)),
  );
  const interval = clusteredShare(clusters, alpha);
  return { rate: mean(clusters.flat()), of, effective: effectiveSize(clusters), interval };
}

function correctedOf(raw: Share, sensitivity: Share, specificity: Share, alpha: number): Corrected {
  if (raw.rate === null) return { rate: null, reason: "the judge judged nothing" };
  if (sensitivity.rate === null) return { rate: null, reason: "people passed none of what it judged" };
  if (specificity.rate === null) return { rate: null, reason: "people failed none of what it judged" };
  const [n, passes, fails] = [raw.effective, sensitivity.effective, specificity.effective];
  if (n === null || passes === null || fails === null) {
    return {
      rate: null,
      reason: "people's passes or fails are all of one case: there is no spread to judge by",
    };
  }
  return correctedRate(
    { raw: raw.rate, n, sensitivity: sensitivity.rate, passes, specificity: specificity.rate, fails },
    alpha,
  );
}

/** What the corrected rate is worked out from: `passes` and `fails` are people's; counts of independent outputs. */
export interface CorrectionInput {
  readonly raw: number;
  readonly n: number;
  readonly sensitivity: number;
  readonly passes: number;
  readonly specificity: number;
  readonly fails: number;
}

/**
 * Rogan and Gladen's corrected rate t = (p + q0 − 1)/(q0 + q1 − 1), q1 sensitivity, q0 specificity, with the variance
 * [p(1−p)/n + (1−t)² q0(1−q0)/m0 + t² q1(1−q1)/m1]/(q0 + q1 − 1)² (arXiv 2511.21140). Only if q0 + q1 > 1: a judge
 * that passes good and bad alike tells nothing. Rate and interval are cut to 0…1.
 */
export function correctedRate(input: CorrectionInput, alpha: number): Corrected {
  const { raw, n, sensitivity: q1, passes, specificity: q0, fails } = input;
  const told = q0 + q1 - 1;
  if (told <= 0)
    return { rate: null, reason: "the judge passes what people fail as often as what they pass" };
  const rate = (raw + q0 - 1) / told;
  const kept = clamp({ low: rate, high: rate }, 0, 1).low;
  const ofRaw = (raw * (1 - raw)) / n;
  const ofFails = ((1 - kept) ** 2 * q0 * (1 - q0)) / fails;
  const ofPasses = (kept ** 2 * q1 * (1 - q1)) / passes;
  const se = Math.sqrt(ofRaw + ofFails + ofPasses) / told;
  const half = normalQuantile(1 - alpha / 2) * se;
  return { rate: kept, se, ...clamp({ low: rate - half, high: rate + half }, 0, 1) };
}

/** Whether a judge can be trusted, as a word and as a sentence that says why. */
export interface Trust {
  readonly word: "trust" | "correct" | "distrust" | "cannot-tell";
  readonly sentence: string;
}

/** A judge this good on both sides is trusted; one below on either side is not, corrected or otherwise. */
const GOOD = 0.9;
const POOR = 0.7;

/** The plain word on a judge. Fewer than 30 passes or 30 fails of people: it can't be told. */
export function trustIn({ all, baseline, candidate }: Record<Arm | "all", Calibration>): Trust {
  const passes = all.sensitivity.of;
  const fails = all.specificity.of;
  if (passes < LABELS_NEEDED || fails < LABELS_NEEDED) {
    return {
      word: "cannot-tell",
      sentence: `Cannot tell: people passed ${passes} and failed ${fails} of the outputs that the judge judged; ${LABELS_NEEDED} of each are needed.`,
    };
  }
  const q1 = all.sensitivity.rate ?? 0;
  const q0 = all.specificity.rate ?? 0;
  const found = `it passes ${percent(q1)} of what people pass and fails ${percent(q0)} of what they fail`;
  const partial = partialTo(baseline, candidate);
  if (q0 + q1 <= 1)
    return { word: "distrust", sentence: `Do not trust this judge: ${found}, no better than a coin.` };
  if (Math.min(q0, q1) < POOR) return { word: "distrust", sentence: `Do not trust this judge: ${found}.` };
  if (partial !== null)
    return { word: "distrust", sentence: `Do not compare arms by this judge: ${partial}.` };
  if (Math.min(q0, q1) < GOOD) {
    return { word: "correct", sentence: `Use the corrected rates, not the judge's own: ${found}.` };
  }
  return { word: "trust", sentence: `This judge can be trusted: ${found}.` };
}

/** A judge that errs more in one arm than in the other fakes a difference, or hides one. */
function partialTo(baseline: Calibration, candidate: Calibration): string | null {
  for (const what of ["sensitivity", "specificity"] as const) {
    const [a, b] = [baseline[what], candidate[what]];
    if (a.rate === null || b.rate === null || Math.min(a.of, b.of) < LABELS_NEEDED / 2) continue;
    const part = ({ rate, effective, of }: Share): number =>
      ((rate ?? 0) * (1 - (rate ?? 0))) / (effective ?? of);
    const se = Math.sqrt(part(a) + part(b));
    if (Math.abs(a.rate - b.rate) > 2.58 * se && Math.abs(a.rate - b.rate) > 0.1) {
      return `its ${what} is ${percent(a.rate)} in the baseline and ${percent(b.rate)} in the candidate`;
    }
  }
  return null;
}

function percent(rate: number): string {
  return shareText(rate, 0);
}
