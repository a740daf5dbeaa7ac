import type { RunRecord } from "../nouns/run.ts";
import type { CaseSummary, Summary } from "../nouns/summary.ts";
import { xmlText } from "./escape.ts";
import { count } from "../text/count.ts";
import { changedCases } from "./shared.ts";

/** What a CI server is told of one case, or of the gate. */
interface JUnitCase {
  readonly name: string;
  readonly kind: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
}

/**
 * The run as JUnit XML. One test a case, of the candidate: a failure is a case that passed in the baseline, or a critical
 * one that fails; what failed before as well is skipped, since it is no news; broken trials are an error, and what got no verdict is skipped with the reason. One more test
 * is the gate, so that the file is red exactly when the exit code says so.
 */
export function junitReport(record: RunRecord, summary: Summary): string {
  const lost = new Map(
    changedCases(summary)
      .filter((one) => one.to === "fail")
      .map((one) => [one.id, one.metrics.join(", ")]),
  );
  const critical = new Set(record.cases.filter((one) => one.case?.critical === true).map(({ id }) => id));
  const cases = summary.cases.map((one) => caseTest(one, lost, critical, record.policy.critical));
  const suites = [suite("cases", summary.runId, cases), suite("gate", summary.runId, [gateTest(summary)])];
  const counts = countsOf([...cases, gateTest(summary)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="evalkit ${xmlText(summary.runId)}"${counts}>\n${suites.join("")}</testsuites>\n`;
}

function caseTest(
  one: CaseSummary,
  lost: ReadonlyMap<string, string>,
  critical: ReadonlySet<string>,
  criticalMatters: boolean,
): JUnitCase {
  const { id, candidate } = one;
  const metrics = lost.get(id);
  if (metrics !== undefined)
    return {
      name: id,
      kind: "failure",
      message: `passed in the baseline, fails in the candidate: ${metrics}`,
    };
  if (candidate === null) return { name: id, kind: "skipped", message: "not run in the candidate" };
  if (candidate.broken >= candidate.trials)
    return {
      name: id,
      kind: "error",
      message: "every trial broke: a failure of the provider or the harness",
    };
  const scores = [candidate.taskCompletion, candidate.toolCallAccuracy].filter((score) => score !== null);
  const open = openWords(candidate);
  const failedOpenly = (candidate.notScored?.failedChecks ?? 0) > 0;
  if (criticalMatters && critical.has(id) && (failedOpenly || scores.some((score) => score < 1)))
    return { name: id, kind: "failure", message: "a critical case fails in the candidate" };
  if (scores.length === 0 && open !== null) return { name: id, kind: "skipped", message: open };
  if (scores.length === 0) return { name: id, kind: "skipped", message: "no check says whether it passed" };
  if (scores.some((score) => score <= 0.5))
    return {
      name: id,
      kind: "skipped",
      message: "fails in the candidate, and did not pass in the baseline either",
    };
  if (open !== null) return { name: id, kind: "skipped", message: open };
  return { name: id, kind: "passed", message: "" };
}

/** What keeps a case from being called passed: trials without a verdict, where a check failed or that are no minority. */
function openWords({ trials, notScored }: NonNullable<CaseSummary["candidate"]>): string | null {
  if (notScored === null || (notScored.failedChecks === 0 && notScored.trials * 2 < trials)) return null;
  const failed = notScored.failedChecks === 0 ? "" : `; another check failed in ${notScored.failedChecks}`;
  return `not scored in ${notScored.trials} of ${count(trials, "trial")}${failed}: ${notScored.reason}`;
}

function gateTest({ gate }: Summary): JUnitCase {
  const reasons = gate.reasons.map(({ message }) => `- ${message}`).join("\n");
  const message = `${gate.verdict} (exit code ${gate.exitCode})\n${reasons}`;
  const kind = gate.exitCode === 0 ? "passed" : gate.exitCode === 4 ? "error" : "failure";
  return { name: "gate", kind, message };
}

function suite(name: string, runId: string, cases: readonly JUnitCase[]): string {
  const tests = cases.map((one) => testcase(one, `evalkit.${name}`)).join("");
  return `  <testsuite name="${xmlText(`evalkit ${runId} ${name}`)}"${countsOf(cases)}>\n${tests}  </testsuite>\n`;
}

function countsOf(cases: readonly JUnitCase[]): string {
  const of = (kind: JUnitCase["kind"]): number => cases.filter((one) => one.kind === kind).length;
  return ` tests="${cases.length}" failures="${of("failure")}" errors="${of("error")}" skipped="${of("skipped")}"`;
}

function testcase({ name, kind, message }: JUnitCase, className: string): string {
  const head = `    <testcase classname="${className}" name="${xmlText(name)}"`;
  if (kind === "passed") return `${head}/>\n`;
  const [first = ""] = message.split("\n");
  const text = kind === "skipped" ? "" : xmlText(message);
  return `${head}>\n      <${kind} message="${xmlText(first)}">${text}</${kind}>\n    </testcase>\n`;
}
