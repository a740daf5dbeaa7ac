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

/**
 * A share as a percentage with so many decimals. What is neither none nor all is never rounded to it: 2,499 of 2,500 is
 * `99.96 %`, not `100.0 %`.
 */
export function shareText(share: number, digits: number): string {
  const size = share * 100;
  for (let at = digits; at <= MOST_DIGITS; at += 1) {
    const text = size.toFixed(at);
    const whole = Math.abs(Number(text));
    if ((whole !== 0 && whole !== 100) || whole === Math.abs(size)) return `${text} %`;
  }
  return `${size.toFixed(digits)} %`;
}

const MOST_DIGITS = 6;

/** `95 %` of an alpha of 0.05, `99.995 %` of one of 0.00005: never rounded up to certainty. */
export function levelText(alpha: number): string {
  const decimals = Math.min(20, Math.max(1, Math.ceil(-Math.log10(alpha * 100))));
  return `${Number((100 - alpha * 100).toFixed(decimals))} %`;
}
