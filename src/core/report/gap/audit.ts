import type { ArmRecord, RunRecord } from "../../nouns/run.ts";
import { type Arm, ARMS } from "../../nouns/score.ts";
import { hasLanguageSection } from "../../prompt/language.ts";
import { markdownCode } from "../escape.ts";
import { NO_DATA, valueText } from "../figures.ts";
import type { ReportInput } from "../input.ts";
import { type TextChange, textChanges } from "../text-changes.ts";
import { repeatedLines, safetyLinesRemoved, unstableLines } from "./prompt-facts.ts";
import { clip, ids } from "./words.ts";
import { count } from "../../text/count.ts";
import { BASE } from "../../prompt/layer-paths.ts";

/** The audit's check list. A box is ticked where facts answer it, and left open, saying why, where people must look. */
export function auditBlock(input: ReportInput): string {
  const { record } = input;
  const { baseline, candidate } = record.arms;
  if (record.kind === "import") return "These results were made elsewhere: prompts and skills are not known.";
  if (baseline === null || candidate === null) return "One version only: there is no change to audit.";
  const changes = textChanges(record);
  return [
    language(record),
    size(input),
    touched(changes),
    duplicates(record, candidate),
    "- [ ] Conflicting rules: no fact tells; read the changed lines beside the rules they stand with.",
    order(record, candidate),
    safety(changes),
    calls(input),
  ].join("\n");
}

function box(done: boolean, text: string, details: readonly string[] = []): string {
  const shown = details.slice(0, 10).map((line) => `  - ${line}`);
  const more = details.length > 10 ? [`  - … and ${details.length - 10} more`] : [];
  return [`- [${done ? "x" : " "}] ${text}`, ...shown, ...more].join("\n");
}

function language(record: RunRecord): string {
  const has = ARMS.map((arm) => {
    const base = record.arms[arm]?.layers.find(({ path }) => path === BASE);
    return base !== undefined && hasLanguageSection(record.texts[base.digest] ?? "");
  });
  if (has.every(Boolean)) return box(true, "Language section: kept, `base.md` of both versions holds it.");
  const missing = ARMS.filter((_, at) => has[at] === false).join(" and ");
  const profile =
    record.arms.candidate?.profile === "two-layer" ? " (the profile two-layer does not ask for it)" : "";
  return box(false, `Language section: missing in \`base.md\` of the ${missing}${profile}.`);
}

function size({ record, prompts, summary }: ReportInput): string {
  const roles = [...new Set(ARMS.flatMap((arm) => prompts[arm].map(({ role }) => role)))].sort();
  const bytes = (arm: Arm, role: string): number | null => {
    const digest = prompts[arm].find((one) => one.role === role)?.digest;
    const text = digest === undefined ? undefined : record.texts[digest];
    return text === undefined ? null : new TextEncoder().encode(text).length;
  };
  const details = roles.map(
    (role) =>
      `${markdownCode(role)}: ${sizeWords(bytes("baseline", role))} → ${sizeWords(bytes("candidate", role))}`,
  );
  const sent = ARMS.map((arm) =>
    valueText("promptTokens", summary.arms[arm]?.metrics.promptTokens?.mean ?? null),
  );
  const tokens = `prompt tokens sent in a trial, as the server counts them: ${sent.join(" → ")}`;
  const known = roles.length > 0 && roles.every((role) => ARMS.every((arm) => bytes(arm, role) !== null));
  return box(known, "Size of the assembled system prompt, before → after:", [...details, tokens]);
}

function sizeWords(bytes: number | null): string {
  return bytes === null ? NO_DATA : `${count(bytes, "byte")} (about ${Math.round(bytes / 4)} tokens)`;
}

function touched(changes: readonly TextChange[]): string {
  if (changes.length === 0) return box(true, "Layers touched: none.");
  const details = changes.map(({ kind, name }) =>
    kind === "skill"
      ? `skill ${markdownCode(name)}: wherever it is enabled`
      : `${markdownCode(name)}: ${affected(name)}`,
  );
  return box(false, "Layers touched, and where they act: do cases cover each of these modes?", details);
}

function affected(path: string): string {
  const [folder = "", file = ""] = path.split("/");
  const name = file.replace(/\.md$/, "");
  if (folder === "modes" && name !== "") return `mode ${markdownCode(name)} only`;
  if (folder === "approvals" && name !== "") return `all modes under approval ${markdownCode(name)}`;
  if (folder === "personalities" && name !== "") return `all modes with personality ${markdownCode(name)}`;
  return "all modes";
}

function duplicates(record: RunRecord, arm: ArmRecord): string {
  const twice = repeatedLines(record, arm);
  if (twice.length === 0)
    return box(
      false,
      "Duplicate rules: no line of the candidate's layers stands twice word for word; the same in other words is for people to find.",
    );
  const details = twice.map(({ line, files }) => `${markdownCode(clip(line, 160))} in ${ids(files)}`);
  return box(false, "Duplicate rules: these lines stand more than once in the candidate's layers:", details);
}

function order(record: RunRecord, arm: ArmRecord): string {
  const unstable = unstableLines(record, arm);
  const text = "Dynamic before stable: the assembler puts stable sections first";
  if (unstable.length === 0) return box(true, `${text}, and no date or time stands in a layer.`);
  return box(
    false,
    `${text}, but these lines of layers hold a date or time, which spoils the server's prompt cache when it changes:`,
    unstable.map(({ file, line }) => `${markdownCode(file)}: ${markdownCode(clip(line, 160))}`),
  );
}

function safety(changes: readonly TextChange[]): string {
  const removed = safetyLinesRemoved(changes);
  if (removed.length === 0)
    return box(
      true,
      "Safety rules: no line that forbids, asks for approval or speaks of secrets was removed.",
    );
  return box(
    false,
    "Safety rules: these lines were removed; is each of them kept in other words?",
    removed.map(({ file, line }) => `${markdownCode(file)}: ${markdownCode(clip(line, 160))}`),
  );
}

function calls({ summary }: ReportInput): string {
  const found = summary.comparisons.find((one) => one.metric === "toolCalls");
  const means = ARMS.map((arm) => valueText("toolCalls", summary.arms[arm]?.metrics.toolCalls?.mean ?? null));
  const words = `tool calls in a trial: ${means.join(" → ")}`;
  if (found === undefined || found.cases === 0) return box(false, `Needless tool calls: ${words}.`);
  const fine = found.verdict === "same" || found.verdict === "better";
  return box(fine, `Needless tool calls: ${words} (${found.verdict}).`);
}
