/** System prompts kept encoded; a run has a few, a suite with a context of its own in each case has many. */
const KEPT_PROMPTS = 256;
/** Shorter texts are encoded faster than they are looked up. */
const LONG = 1000;

const prompts = new Map<string, Buffer>();
const tools = new WeakMap<object, Buffer>();

/**
 * The JSON text of a request's body in UTF-8, as `JSON.stringify` writes it. The system prompt and the tools are most of
 * it and come again in every request: they are encoded once.
 */
export function bodyBytes(body: Readonly<Record<string, unknown>>): Buffer {
  const pieces: Buffer[] = [];
  let text = "{";
  const add = (piece: Buffer | string): void => {
    if (typeof piece === "string") text += piece;
    else {
      pieces.push(Buffer.from(text), piece);
      text = "";
    }
  };
  const addList = (items: readonly unknown[], encode: (item: unknown) => Buffer | string): void => {
    items.forEach((item, at) => {
      add(at === 0 ? "[" : ",");
      add(encode(item));
    });
    add(items.length === 0 ? "[]" : "]");
  };
  for (const [at, [name, value]] of Object.entries(body).entries()) {
    add(`${at === 0 ? "" : ","}${JSON.stringify(name)}:`);
    if (name === "messages" && Array.isArray(value)) addList(value, encodedMessage);
    else if (name === "tools" && Array.isArray(value)) addList(value, encodedTool);
    else add(JSON.stringify(value));
  }
  pieces.push(Buffer.from(`${text}}`));
  return Buffer.concat(pieces);
}

function encodedMessage(message: unknown): Buffer | string {
  const prompt = longSystemPrompt(message);
  if (prompt === null) return JSON.stringify(message);
  const known = prompts.get(prompt);
  if (known !== undefined) return known;
  if (prompts.size >= KEPT_PROMPTS) prompts.clear();
  const encoded = Buffer.from(JSON.stringify(message));
  prompts.set(prompt, encoded);
  return encoded;
}

/** The text of a long system message that holds nothing else. */
function longSystemPrompt(message: unknown): string | null {
  if (typeof message !== "object" || message === null || Object.keys(message).join() !== "role,content")
    return null;
  const { role, content } = message as { role: unknown; content: unknown };
  return role === "system" && typeof content === "string" && content.length > LONG ? content : null;
}

/** Tools are never changed after they were made. */
function encodedTool(tool: unknown): Buffer | string {
  if (typeof tool !== "object" || tool === null) return JSON.stringify(tool);
  const known = tools.get(tool) ?? Buffer.from(JSON.stringify(tool));
  tools.set(tool, known);
  return known;
}
