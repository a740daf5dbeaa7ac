/**
 * Text for a terminal: control characters stand as visible signs (`␛`), so that neither a prompt nor a file name of a
 * branch can move the cursor or set colours. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\u2421");
}
