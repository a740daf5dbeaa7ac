import { createHash } from "node:crypto";

/** `sha256:<hex>` of a text's UTF-8 bytes or of bytes. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}
