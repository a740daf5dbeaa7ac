import { trialKey } from "../core/record/trial-key.ts";
import { count } from "../core/text/count.ts";
import type { TrialKey } from "../core/nouns/score.ts";
import type { Brought } from "./branch-recordings.ts";
import { recordingName } from "./recording-file.ts";

/** A branch could record answers of its own: they are never served where the model can be asked. */
export class BroughtReplies {
  readonly #brought: Brought | null;
  /** Whether a recording that is not to be believed can be replaced. */
  readonly #asks: boolean;
  readonly #files = new Map<string, ReturnType<Brought>>();
  readonly #trials = new Set<string>();

  constructor(brought: Brought | null, asks: boolean) {
    this.#brought = brought;
    this.#asks = asks;
  }

  /** Whether the recorded line of a trial's request may be served. */
  async believes(trial: TrialKey, key: string, line: string): Promise<boolean> {
    if (this.#brought === null) return true;
    const name = recordingName(trial.case);
    const lines = this.#files.get(name) ?? this.#brought(name);
    this.#files.set(name, lines);
    if ((await lines)?.(key, line) !== true) return true;
    this.#trials.add(trialKey(trial));
    return !this.#asks;
  }

  /** A sentence for the run's notes where the branch brought replies. */
  notes(): string[] {
    if (this.#trials.size === 0) return [];
    const trials = count(this.#trials.size, "trial");
    const whose = "recordings that the branch under test adds or changes";
    return this.#asks
      ? [
          `${trials} asked the model anew instead of being replayed from ${whose} (--replay strict serves them)`,
        ]
      : [`warning: ${trials} replayed from ${whose}: those replies are the branch's own word`];
  }
}
