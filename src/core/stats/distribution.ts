import jstat from "jstat";

/*
 * Distribution functions. Quantiles and log-gamma are jstat's. Its incomplete beta stops at a relative error of 3e-7
 * and its normal tail is 1 − cdf, zero below −8.3; both are computed here instead, since p-values live in the tails.
 */

/** ln Γ(x), x > 0. */
export function logGamma(x: number): number {
  return jstat.gammaln(x);
}

/** ln of the binomial coefficient C(n, k); −Infinity outside 0 ≤ k ≤ n. */
export function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY;
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

/** P(Z ≤ z) of the standard normal. */
export function normalCdf(z: number): number {
  if (z > 0) return 1 - normalCdf(-z);
  return z > -3 ? 0.5 * (1 + jstat.erf(z / Math.SQRT2)) : normalTail(-z);
}

/** P(Z > z) for z ≥ 3 by the continued fraction of Mills' ratio: φ(z) / (z + 1/(z + 2/(z + …))). */
function normalTail(z: number): number {
  let fraction = z;
  for (let term = 120; term >= 1; term -= 1) fraction = z + term / fraction;
  return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI) / fraction;
}

/** The z with P(Z ≤ z) = p, 0 < p < 1. */
export function normalQuantile(p: number): number {
  return jstat.normal.inv(p, 0, 1);
}

/** P(X ≤ x) of Beta(a, b): the regularised incomplete beta function. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaCdf(1 - x, b, a);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) * betaFraction(x, a, b)) / a;
}

/** The continued fraction of the incomplete beta, by the modified method of Lentz (DLMF 8.17.22). */
function betaFraction(x: number, a: number, b: number): number {
  const safe = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/** The x with P(X ≤ x) = p of Beta(a, b). */
export function betaQuantile(p: number, a: number, b: number): number {
  return jstat.beta.inv(p, a, b);
}

/** P(|T| ≥ |t|) of Student's t with `df` degrees of freedom. */
export function tTwoSided(t: number, df: number): number {
  if (!Number.isFinite(t)) return 0;
  return betaCdf(df / (df + t * t), df / 2, 0.5);
}

/** The t with P(T ≤ t) = p, 0 < p < 1: jstat's, sharpened by two Newton steps on the exact tail. */
export function tQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  let t = jstat.studentt.inv(p, df);
  const tail = 2 * Math.min(p, 1 - p);
  for (let step = 0; step < 2; step += 1) {
    t += (Math.sign(t) * (tTwoSided(t, df) - tail)) / (2 * tDensity(t, df));
  }
  return t;
}

function tDensity(t: number, df: number): number {
  const log = logGamma((df + 1) / 2) - logGamma(df / 2) - 0.5 * Math.log(df * Math.PI);
  return Math.exp(log - ((df + 1) / 2) * Math.log1p((t * t) / df));
}

/** P(X = k) of Binomial(n, p). */
export function binomialMass(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p === 0 || p === 1) return k === n * p ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}
