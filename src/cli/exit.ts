/** Exit codes of section 12 of the contract. A gate's verdict brings its own. */
export const EXIT = { ok: 0, regression: 1, usage: 2, undecided: 3, harness: 4, interrupted: 130 } as const;
