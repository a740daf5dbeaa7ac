import { parseInvoice } from "../invoice.ts";

/** Takes an invoice line from the upload form; answers with its number. */
export function upload(body: string): { accepted: string } {
  const invoice = parseInvoice(body.trim());
  return { accepted: invoice.number };
}
