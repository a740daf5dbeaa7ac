import { count } from "../text/count.ts";
import { byText } from "../text/order.ts";
import type { Ledger, LedgerCase, LedgerCheck } from "./ledger.ts";

/** The ledger as text: cases that waver first, then what never discriminates. */
export function ledgerText(ledger: Ledger): string {
  if (ledger.cases.length === 0) return "No trial of any case was found in past runs.";
  const flaky = ledger.cases.filter(({ state }) => state === "flaky");
  const unknown = ledger.cases.filter(({ state }) => state === "unknown");
  return [
    `${ledger.cases.length} cases over ${ledger.runs} runs: ${flaky.length} flaky, ${unknown.length} never repeated in a run`,
    ...(ledger.copies === 0
      ? []
      : [
          `${count(ledger.copies, "trial")} left out: replays of recordings that are counted already, which tell nothing new`,
        ]),
    ...(flaky.length === 0 ? [] : ["", "Flaky (some trials of one run and arm passed, some failed):"]),
    ...[...flaky].sort(byShare).map(flakyLine),
    ...checks("Never failed: do they check anything?", ledger.neverFailed),
    ...checks("Never passed: are they right?", ledger.neverPassed),
    "",
    "Flaky cases stay in the mean and nothing is run again until it is green: leaving them out would select on the outcome.",
  ].join("\n");
}

function flakyLine(one: LedgerCase): string {
  const rate = `${one.passes} of ${one.trials} trials passed`;
  const broken = one.broken === 0 ? "" : `, ${one.broken} broke`;
  return `  ${one.id}: wavered in ${one.wavering} of ${one.groups}, ${rate}${broken}`;
}

function checks(title: string, found: readonly LedgerCheck[]): string[] {
  if (found.length === 0) return [];
  return [
    "",
    title,
    ...found.map(({ case: id, check, passed, failed }) => `  ${id}: ${check} (${passed + failed} times)`),
  ];
}

function byShare(a: LedgerCase, b: LedgerCase): number {
  return b.wavering / b.groups - a.wavering / a.groups || byText(a.id, b.id);
}
