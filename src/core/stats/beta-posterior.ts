import { betaCdf } from "./distribution.ts";

/** P(θ > 1/2) for the share θ of discordant cases that the candidate wins, from a uniform prior: Beta(1 + wins, 1 + losses). */
export function chanceOfBetter(wins: number, losses: number): number {
  return betaCdf(0.5, 1 + losses, 1 + wins);
}
