import { ARMS } from "../../nouns/score.ts";
import type { Gate } from "../../nouns/summary.ts";
import type { ReportInput } from "../input.ts";
import { armWords, modelSentence, modelWords, trialWords } from "../shared.ts";
import { code, h, type Html, style } from "./markup.ts";
import { STYLE } from "./style.ts";

/** Nothing but the page's own style: no script, image, font, frame, form or request, whatever stands in the texts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The head of the page, with its policy and style. */
export function head({ record, summary }: ReportInput): Html {
  return h(
    "head",
    {},
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
    h("meta", { name: "referrer", content: "no-referrer" }),
    h("title", {}, `evalkit ${record.runId}: ${summary.gate.verdict}`),
    style(STYLE),
  );
}

const TONES = { passed: "good", failed: "bad", undecided: "doubt" } as const;

/** The verdict with its reasons, and who was compared: what most readers came for. */
export function verdictHead(input: ReportInput): Html {
  const { record, summary } = input;
  const { gate } = summary;
  return h(
    "header",
    { class: `card ${gate.verdict}` },
    h(
      "div",
      { class: "top" },
      h("h1", {}, `${record.aa ? "A/A run" : "Run"} ${record.runId}`),
      h("span", { class: `badge large ${TONES[gate.verdict]}` }, gate.verdict),
    ),
    reasons(gate),
    h("dl", { class: "facts" }, facts(input)),
  );
}

function reasons({ reasons: all, exitCode }: Gate): Html {
  const items = all.map(({ message }) => h("li", {}, message));
  return h("div", {}, h("ul", {}, items), h("p", { class: "soft small" }, `Exit code ${exitCode}.`));
}

function facts({ record, summary }: ReportInput): Html[] {
  const arms = ARMS.flatMap((arm) => {
    const own = record.arms[arm];
    const counts = summary.arms[arm];
    if (own === null || counts === null) return [];
    const { variant, commit } = armWords(own);
    const at = commit === null ? [] : [" at ", code(commit)];
    const trials = h("span", { class: "soft" }, ` · ${trialWords(counts)}`);
    return [h("dt", {}, arm), h("dd", {}, code(variant), at, trials)];
  });
  const imported = record.kind === "import";
  const model = imported ? "results made elsewhere, imported" : modelSentence(modelWords(record, summary));
  return [
    ...arms,
    h("dt", {}, "model"),
    h("dd", {}, model),
    h("dt", {}, "run"),
    h("dd", {}, `${record.createdAt}, evalkit ${record.evalkit}`),
  ];
}
