import { count } from "../text/count.ts";
import type { TrialLine } from "../nouns/run.ts";

/** Why trials broke: one sentence a kind, with the first message, which names the setting to change. */
export class Faults {
  private readonly kinds = new Map<string, { count: number; message: string }>();

  /** Takes an ended trial; only broken ones count. */
  add({ outcome }: TrialLine): void {
    if (outcome.status !== "broken") return;
    const { kind, message } = outcome.failure;
    const known = this.kinds.get(kind);
    this.kinds.set(kind, { count: (known?.count ?? 0) + 1, message: known?.message ?? message });
  }

  /** For people: how many, which kind, what to do. */
  sentences(): string[] {
    return [...this.kinds].map(
      ([kind, { count: known, message }]) => `${count(known, "trial")} broken (${kind}): ${message}`,
    );
  }
}
