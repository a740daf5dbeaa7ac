/** For each body field that servers refuse: which setting of evalkit sends it, and what to set instead. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_tokens:
    "this server wants another field: set `request: { max_completion_tokens: N }` in evalkit.yaml; it takes the place of maxTokens (--max-tokens)",
  max_completion_tokens:
    "this server wants the older field: take `max_completion_tokens` out of `request` in evalkit.yaml and set maxTokens (--max-tokens)",
  temperature:
    "leave out temperature (--temperature), or set `request: { temperature: null }` in evalkit.yaml",
  seed: "leave out seed (--seed), or set `request: { seed: null }` in evalkit.yaml",
  stream_options: "set `request: { stream_options: null }` in evalkit.yaml, or use --no-stream",
  parallel_tool_calls: "take `parallel_tool_calls` out of `request` in evalkit.yaml",
  tool_choice:
    "take `tool_choice` out of `request` in evalkit.yaml; where it isn't there, set `request: { tool_choice: null }`",
  tools: "this server takes no tools (a server may need a flag for them, such as llama-server's --jinja)",
  stream: "use --no-stream",
};

/** vLLM names its flags, not the field. */
const NO_TOOL_PARSER = /enable-auto-tool-choice|tool-call-parser/;

/** Which setting to change when a server refuses a parameter: by the one it names, else by the first in its words. */
export function refusalHint(param: string, said: string): string {
  const named = SETTINGS[param];
  if (Object.hasOwn(SETTINGS, param) && named !== undefined) return named;
  if (NO_TOOL_PARSER.test(said)) return "the server must be started with these flags to take tools";
  const found = /`?['"]?\b([a-z]+(?:_[a-z]+)+|temperature|seed|tools|stream)\b/g;
  for (const word of said.matchAll(found)) {
    const name = word[1] ?? "";
    if (Object.hasOwn(SETTINGS, name)) return SETTINGS[name] ?? "";
  }
  const other = param !== "" ? param : "";
  return other === "" ? "" : `the server refuses \`${other}\`: look at \`request\` in evalkit.yaml`;
}
