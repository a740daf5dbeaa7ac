import { normalCdf } from "./distribution.ts";

/** Pocock: the same |z| at every look. O'Brien-Fleming: C √(K/k), strict early, almost 1.96 at the last. */
export type Shape = "pocock" | "obrien-fleming";

/** Critical |z| at look k of `looks` equal steps. */
export function criticalZ(constant: number, shape: Shape, k: number, looks: number): number {
  return shape === "pocock" ? constant : constant * Math.sqrt(looks / k);
}

/**
 * The constant C with a chance of alpha to cross at any of the looks when nothing changed (Pocock 1977; O'Brien,
 * Fleming 1979), by bisection over `crossing`.
 */
export function boundaryConstant(looks: number, alpha: number, shape: Shape): number {
  let low = 1;
  let high = 6;
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    if (crossing(middle, shape, looks) > alpha) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const POINTS = 161;

/**
 * Chance that |Z_k| reaches its bound at one of the looks when nothing changed (Armitage, McPherson, Rowe 1969):
 * the density of the sum S_k inside the bounds, carried from look to look by Simpson's rule.
 */
export function crossing(constant: number, shape: Shape, looks: number): number {
  const bound = (k: number): number => criticalZ(constant, shape, k, looks) * Math.sqrt(k);
  let grid = gridTo(bound(1));
  let density = grid.map(({ at }) => phi(at));
  let crossed = 2 * normalCdf(-bound(1));
  for (let k = 2; k <= looks; k += 1) {
    const edge = bound(k);
    const next = gridTo(edge);
    const mass = grid.map(({ weight }, at) => weight * (density[at] ?? 0));
    const sumOver = (value: (s: number) => number): number =>
      grid.reduce((so, { at: s }, at) => so + (mass[at] ?? 0) * value(s), 0);
    crossed += sumOver((s) => normalCdf(s - edge) + normalCdf(-edge - s));
    density = next.map(({ at: to }) => sumOver((s) => phi(to - s)));
    grid = next;
  }
  return crossed;
}

function gridTo(edge: number): { at: number; weight: number }[] {
  const step = (2 * edge) / (POINTS - 1);
  return Array.from({ length: POINTS }, (_, i) => ({
    at: -edge + i * step,
    weight: (step / 3) * (i === 0 || i === POINTS - 1 ? 1 : i % 2 === 1 ? 4 : 2),
  }));
}

function phi(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}
