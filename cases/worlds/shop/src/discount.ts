/** Price in cents after a discount of so many percent. */
export function discounted(cents: number, percent: number): number {
  if (percent > 100) throw new Error("percent is too high");
  return cents - (cents * percent) / 100;
}
