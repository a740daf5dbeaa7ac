/** Tokenizer of the estimate: OpenAI's current one. Other models count differently, mostly by less than a fifth. */
export const ENCODING = "o200k_base";

/** Runs without a break longer than this make byte-pair encoding quadratic; they are counted in pieces. */
const LONG_RUN = /\S{1000,}|\s{1000,}/;
const PIECE = 500;

/** Loads the tokenizer (some hundred milliseconds) and returns the estimate of a text's tokens. */
export async function tokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Texts such as `<|endoftext|>` in a prompt are counted as the text they are.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    if (!LONG_RUN.test(text)) return countTokens(text, options);
    let tokens = 0;
    for (let at = 0; at < text.length; at += PIECE)
      tokens += countTokens(text.slice(at, at + PIECE), options);
    return tokens;
  };
}
