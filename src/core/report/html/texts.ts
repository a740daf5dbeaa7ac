import type { RunRecord } from "../../nouns/run.ts";
import { type TextChange, textChanges } from "../text-changes.ts";
import { code, h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText } from "./transcript.ts";

const SHOWN_COMMITS = 20;
/** Diffs that are unfolded from the start. */
const OPEN_DIFFS = 3;

/** Commits as the why, diffs of layers and skills as the what. Null where nothing is recorded (imported runs). */
export function changeSection(record: RunRecord): Section | null {
  const { baseline, candidate } = record.arms;
  if (baseline === null || candidate === null || record.kind === "import") return null;
  const changes = textChanges(record);
  const same = h("p", {}, "Layers and skills are the same in both arms.");
  return {
    id: "changes",
    title: "What changed, and why",
    body: h(
      "div",
      {},
      settings(record),
      commits(record.commits),
      changes.length === 0 ? same : changes.map((change, at) => changeCard(change, at < OPEN_DIFFS)),
    ),
  };
}

function settings({ arms }: RunRecord): Html | null {
  const keys = ["profile", "delivery", "model"] as const;
  const items = keys.flatMap((key) => {
    const [before, after] = [arms.baseline?.[key] ?? null, arms.candidate?.[key] ?? null];
    return before === after
      ? []
      : [h("li", {}, `${key}: `, code(before ?? "the run's"), " → ", code(after ?? "the run's"))];
  });
  return items.length === 0 ? null : h("ul", {}, items);
}

function commits(all: RunRecord["commits"]): Html {
  if (all.length === 0)
    return h("p", { class: "soft" }, "No commits lie between the arms, or none are known.");
  const items = all.slice(0, SHOWN_COMMITS).map(({ commit, subject, body }) => {
    const more = body.trim() === "" ? null : h("p", { class: "said soft small" }, cutText(body.trim(), 1000));
    return h("li", {}, code(commit.slice(0, 7)), ` ${subject}`, more);
  });
  const left = all.length - SHOWN_COMMITS;
  return h(
    "ul",
    {},
    items,
    left > 0 ? h("li", { class: "soft" }, `and ${left} more commits, named in run.json`) : null,
  );
}

function changeCard(change: TextChange, open: boolean): Html {
  const counts = change.patch.length === 0 ? "" : ` +${change.added} −${change.removed}`;
  const left =
    change.leftOut === 0
      ? null
      : h(
          "p",
          { class: "soft small" },
          `${change.leftOut} more lines of this diff are left out; both texts stand in run.json.`,
        );
  return h(
    "details",
    { class: "card", open: open ? true : null },
    h(
      "summary",
      {},
      `${change.kind} ${change.what}: `,
      code(change.name),
      h("span", { class: "soft small" }, counts),
    ),
    h("p", { class: "soft small" }, change.file),
    change.notes.map((note) => h("p", { class: "small" }, cutText(note, 600))),
    change.patch.length === 0 ? null : h("pre", { class: "diff" }, change.patch.map(diffLine)),
    left,
  );
}

function diffLine(line: string): Html {
  const kind = line.startsWith("+")
    ? "add"
    : line.startsWith("-")
      ? "del"
      : line.startsWith("@@")
        ? "hunk"
        : null;
  return h("span", { class: kind }, cutText(line, 600));
}
