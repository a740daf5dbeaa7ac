/** The part of jstat that evalkit uses; the package ships no types. */
declare module "jstat" {
  interface JStat {
    readonly normal: { inv(p: number, mean: number, sd: number): number };
    readonly studentt: { inv(p: number, df: number): number };
    readonly beta: { inv(p: number, a: number, b: number): number };
    gammaln(x: number): number;
    erf(x: number): number;
  }
  const jstat: JStat;
  export default jstat;
}
