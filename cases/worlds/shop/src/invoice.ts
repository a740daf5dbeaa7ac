export interface Invoice {
  readonly number: string;
  readonly cents: number;
}

/** Reads one line of a carrier's invoice file: number, semicolon, amount in cents. */
export function parseInvoice(line: string): Invoice {
  const [number = "", cents = ""] = line.split(";");
  return { number, cents: Number(cents) };
}
