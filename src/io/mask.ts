import { fixedForms, SpelledSecrets } from "./secret-forms.ts";

/** What a secret is replaced with wherever it would be written. */
export const MASKED = "[masked]";

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|AUTHORIZATION|CREDENTIAL|COOKIE|(^|_)(PASS|PAT|DSN)$/i;
const HARMLESS_NAME = /KEYBOARD|KEYMAP|KEYRING|TOKENIZER|TOKENS$|^SSH_AUTH_SOCK$/i;
const HARMLESS_HEADER =
  /^(accept|content-type|user-agent|(http-)?referer|x-title|openai-beta|[\w-]*-version)$/i;
/** Words that stand in every file of a run: no secrets, and without them no file could be read again. */
const OWN_WORDS: ReadonlySet<string> = new Set(
  "baseline candidate finished repeated-calls replayed conversation approval approved approve refused-by-policy refreshed evicted injected disabled unscored toolCallAccuracy toolCallF1 taskCompletion skillActivation toolCalls promptTokens cachedTokens completionTokens approvals rate-limited cut-off bad-response refused-request no-model context-length replay-miss interrupted undecided evalkit.run/1 evalkit.summary/1 next-user-message tool-result system-prompt two-layer superset unordered in_order write_file read_file list_dir search_files execute_command web_fetch browser_navigate take_snapshot take_screenshot load_skill assistant function tool_calls completion".split(
    " ",
  ),
);
/** Shorter values are too likely to be ordinary words of a text. */
const SHORTEST = 8;
/** Shapes of keys that are masked though no setting names them: a server may quote a key of its own. */
const SHAPES =
  /(?<![A-Za-z0-9])(?:sk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16})|(?<=\b(?:[Bb]earer|[Bb]asic)\s{1,4})(?=[A-Za-z0-9._~+/-]*[\d=])[A-Za-z0-9._~+/-]{16,}=*/g;

/**
 * Makes the function that takes secrets out of a text before it is written or shortened: the values of environment
 * variables whose names look like keys and of configured headers, however an encoder writes them, `keys` known otherwise, and whatever has the shape of a key. Header names that carry no secret (`content-type`, …) are
 * left alone.
 */
export function createMask(
  env: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
  keys: readonly (string | null)[] = [],
): (text: string) => string {
  const named = keys.flatMap((key) => (key === null ? [] : [key.trim()]));
  const secrets = [...envSecrets(env), ...headerSecrets(headers), ...named].filter(
    (value) => value.length >= SHORTEST && !OWN_WORDS.has(value),
  );
  const forms = [...new Set(secrets.flatMap(fixedForms))].sort((a, b) => b.length - a.length);
  const values = forms.length === 0 ? null : new RegExp(forms.map(escapeRegExp).join("|"), "g");
  const spelled = new SpelledSecrets(secrets);
  return (text) => {
    const masked = spelled.replace(values === null ? text : text.replace(values, MASKED), MASKED);
    return mayHoldShape(masked) ? masked.replace(SHAPES, MASKED) : masked;
  };
}

function envSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) => {
    if (SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)) return [value.trim()];
    return passwordIn(value);
  });
}

/** The password of an address, such as `postgres://user:password@host`. */
function passwordIn(value: string): readonly string[] {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value.trim())?.[1];
  return found === undefined ? [] : [found, decoded(found)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A header's whole value, and the key alone behind `Bearer` or `Basic`. */
function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    HARMLESS_HEADER.test(name) ? [] : [value.trim(), value.trim().split(/\s+/).at(-1) ?? ""],
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Looking for four short words first is far quicker than the shapes' expression over a long text. */
function mayHoldShape(text: string): boolean {
  return (
    text.includes("sk-") ||
    text.includes("earer ") ||
    text.includes("asic ") ||
    text.includes("AKIA") ||
    /gh[pousr]_/.test(text)
  );
}

/**
 * Masks a JSON text so that it stays JSON: texts and names of keys only. A secret of digits must not be taken out of a
 * number, nor one that looks like syntax out of what holds the file together. `indent` as for JSON.stringify.
 */
export function maskJson(mask: (text: string) => string, text: string, indent = 0): string {
  if (mask(text) === text) return text;
  const value: unknown = JSON.parse(text, (_, inner: unknown) => maskValue(mask, inner));
  const end = text.endsWith("\n") ? "\n" : "";
  return `${JSON.stringify(value, null, indent)}${end}`;
}

function maskValue(mask: (text: string) => string, value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([name]) => mask(name) === name)) return value;
  return Object.fromEntries(entries.map(([name, inner]) => [mask(name), inner]));
}
