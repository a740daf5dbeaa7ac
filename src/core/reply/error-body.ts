import { field, isObject, jsonText, list, parseJson, path, textField } from "../text/json.ts";

/** Gateways put the error of a provider into their own, which may be a gateway's again. */
const MAX_NESTED = 3;

/**
 * The bodies of an error answer, the outermost first. Google puts the body into a list; gateways put the provider's own as
 * JSON text into the message or, as OpenRouter does beside "Provider returned error", into `metadata.raw`.
 */
export function errorBodies(body: unknown): readonly unknown[] {
  const bodies: unknown[] = [];
  for (let at = body; at !== undefined && bodies.length < MAX_NESTED; at = innerBody(bodies.at(-1))) {
    bodies.push(Array.isArray(at) && isObject(at[0]) ? at[0] : at);
  }
  return bodies;
}

function innerBody(body: unknown): unknown {
  const raw = path(body, "error", "metadata", "raw") ?? path(body, "metadata", "raw");
  if (isObject(raw) || Array.isArray(raw)) return raw;
  if (typeof raw === "string" && raw.trim() !== "") return parsedObject(raw) ?? { error: pageText(raw) };
  return parsedObject(messageOf(body));
}

function parsedObject(text: string): unknown {
  const start = text.slice(0, 20_000).trim();
  if (!/^[[{]/.test(start)) return undefined;
  const value = parseJson(start);
  return isObject(value) || (Array.isArray(value) && isObject(value[0])) ? value : undefined;
}

/** Codes, types and statuses of one body. */
export function errorCodes(body: unknown): readonly string[] {
  const error = field(body, "error");
  const values = [
    field(error, "code"),
    field(error, "type"),
    field(error, "status"),
    field(body, "code"),
    field(body, "type"),
    field(body, "status"),
    ...list(field(error, "details")).map((detail) => field(detail, "reason")),
  ];
  return values.flatMap((value) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : [],
  );
}

/** The words of the bodies; of one that says nothing its JSON, of an answer that is no JSON its text. */
export function errorText(bodies: readonly unknown[], body: unknown, text: string): string {
  // A message that is itself the JSON of the next body is told by that.
  const told = bodies.map(messageOf).filter((words) => words !== "" && parsedObject(words) === undefined);
  if (told.length > 0) return oneLine([...new Set(told)].join(": "));
  if (body !== undefined) return jsonText(body)?.slice(0, 20_000) ?? "unreadable JSON";
  return text.trim() === "" ? "" : oneLine(pageText(text));
}

function messageOf(body: unknown): string {
  const error = field(body, "error");
  const told = [
    textField(error, "message"),
    typeof error === "string" ? error : "",
    textField(body, "message"),
    detailText(field(body, "detail")),
    textField(body, "error_msg"),
    textField(body, "msg"),
  ];
  return told.find((words) => words !== "") ?? "";
}

/** FastAPI's `detail`: a text, or a list of what is wrong and where. */
function detailText(detail: unknown): string {
  if (typeof detail === "string") return detail;
  const lines = list(detail).map((one) => {
    const where = list(field(one, "loc")).map(String).join(".");
    return `${where === "" ? "" : `${where}: `}${textField(one, "msg")}`;
  });
  return lines.join("; ");
}

/** The words of an HTML page: its title, else its text; other texts as they are. */
export function pageText(text: string): string {
  const start = text.slice(0, 20_000);
  if (!/<(!doctype|html|head|body|h1|title)\b/i.test(start)) return start;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1]?.trim();
  const words = start.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ");
  return `an HTML page: ${oneLine(title ? title : words)}`;
}

function oneLine(text: string): string {
  return text.slice(0, 20_000).replace(/\s+/g, " ").trim();
}
