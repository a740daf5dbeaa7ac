/**
 * A number without its sign as people read it: two decimals, none where nobody would read them, two significant digits
 * for what is small. `share`: in percentage points, with one decimal.
 */
export function figure(value: number, share = false): string {
  const size = Math.abs(value);
  if (share) return (size * 100).toFixed(1);
  if (size >= 100) return size.toFixed(0);
  if (size >= 0.1 || size === 0) return size.toFixed(2);
  return Number(size.toPrecision(2)).toString();
}

/** A signed number, with the minus sign proper; what is shown as zero has no sign. `share`: in percentage points. */
export function signedFigure(value: number, share: boolean): string {
  const text = figure(value, share);
  if (Number(text) === 0) return text;
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** `95 %` of an alpha of 0.05, `99.995 %` of one of 0.00005: never rounded up to certainty. */
export function levelText(alpha: number): string {
  const decimals = Math.min(20, Math.max(1, Math.ceil(-Math.log10(alpha * 100))));
  return `${Number((100 - alpha * 100).toFixed(decimals))} %`;
}
