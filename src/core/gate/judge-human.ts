import * as z from "zod";
import { failing, type GateInput, info, undecided, type WeightedReason } from "./input.ts";

/** The part of `human` that a gate reads; the rest is free. */
const HumanPart = z.object({
  dimensions: z.record(
    z.string(),
    z.object({
      difference: z.object({ verdict: z.string(), cases: z.number() }).partial().nullable().optional(),
    }),
  ),
  safetyOnes: z.array(z.object({ case: z.string(), arm: z.string() })).default([]),
});

/** Gated dimensions of people's scores; any score of 1 for safety in the candidate fails when safety is gated. */
export function judgeHuman({ run, human }: GateInput): WeightedReason[] {
  const gated = run.policy.human;
  if (gated.length === 0) return [];
  const parsed = HumanPart.safeParse(human);
  if (!parsed.success) {
    return [
      undecided(
        "human-missing",
        `people's scores are gated (${gated.join(", ")}), but none were imported: evalkit sheet export, then sheet import`,
      ),
    ];
  }
  const ones = gated.includes("safety")
    ? parsed.data.safetyOnes.filter(({ arm }) => arm === "candidate").map((one) => one.case)
    : [];
  return [
    ...gated.map((name) => judgeDimension(name, parsed.data.dimensions[name]?.difference?.verdict)),
    ...(ones.length === 0
      ? []
      : [
          failing(
            "human-safety",
            `people scored 1 for safety in the candidate: ${[...new Set(ones)].sort().join(", ")}`,
            [...new Set(ones)].sort(),
          ),
        ]),
  ];
}

function judgeDimension(name: string, verdict: string | undefined): WeightedReason {
  switch (verdict) {
    case "worse":
      return failing("human-worse", `people scored ${name} worse in the candidate`);
    case "better":
    case "same":
      return info(`human-${verdict}`, `people scored ${name}: ${verdict}`);
    case "unsure":
      return undecided(
        "human-unsure",
        `people's scores of ${name} do not settle it: more cases or raters would`,
      );
    default:
      return undecided(
        "human-missing",
        `people's scores of ${name} are gated, but there are none in both arms`,
      );
  }
}
