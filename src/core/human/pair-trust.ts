import { shareText } from "../text/figures.ts";
import { LABELS_NEEDED } from "./calibrate.ts";
import type { PairAgreement } from "./pair-agreement.ts";

/** Whether a pairwise judge can be trusted, as a word and as a sentence that says why. */
export interface PairTrust {
  readonly word: "trust" | "care" | "distrust" | "cannot-tell";
  readonly sentence: string;
}

/** Landis and Koch's bounds (1977): from .61 kappa is substantial, below .41 fair at best. */
const GOOD = 0.6;
const POOR = 0.4;
/** Cases below which an interval over cases says little. */
const CASES_NEEDED = 10;
/** A lean towards one version that fakes a difference of note. */
const LEANS = 0.1;

/** The plain word on a pairwise judge. Too few pairs or cases, or chance not excluded: it can't be told. */
export function pairTrust({ pairs, cases, kappa, agree, lean }: PairAgreement): PairTrust {
  if (pairs < LABELS_NEEDED || cases < CASES_NEEDED) {
    return cannotTell(
      `people and the judge both judged ${pairs} pairs of ${cases} cases; ${LABELS_NEEDED} pairs of ${CASES_NEEDED} cases are needed`,
    );
  }
  if (kappa.value === null) return cannotTell(`${kappa.reason}, so that chance agreement is certain`);
  const found = `it agrees with people in ${shareText(agree.rate ?? 0, 0)} of ${pairs} pairs, kappa ${kappa.value.toFixed(2)}`;
  const partial = partialTo(lean);
  if (partial !== null) {
    return {
      word: "distrust",
      sentence: `Do not compare versions by this judge: it favours the ${partial}.`,
    };
  }
  const { low, high } = kappa.interval ?? { low: kappa.value, high: kappa.value };
  if (high < POOR || kappa.value <= 0) {
    return { word: "distrust", sentence: `Do not trust this judge with pairs: ${found}.` };
  }
  if (low <= 0) return cannotTell(`${found}, and chance is not excluded; more pairs would tell`);
  if (kappa.value >= GOOD)
    return { word: "trust", sentence: `This judge can be trusted with pairs: ${found}.` };
  return { word: "care", sentence: `Take this judge's preferences with care: ${found}.` };
}

/** Which version the judge favours beyond what people see, where chance does not explain it. */
function partialTo({ mean, interval }: PairAgreement["lean"]): string | null {
  if (mean === null || interval === null || Math.abs(mean) < LEANS) return null;
  if (interval.low > 0) return `candidate, by ${mean.toFixed(2)} on a scale of −1 to 1 over people's word`;
  if (interval.high < 0) return `baseline, by ${(-mean).toFixed(2)} on a scale of −1 to 1 over people's word`;
  return null;
}

function cannotTell(why: string): PairTrust {
  return { word: "cannot-tell", sentence: `Cannot tell: ${why}.` };
}
