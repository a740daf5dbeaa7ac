// Commands that run, decide or judge, bundled as one file: fewer files are opened at each start.
export * as calibrateJudge from "./calibrate-judge.ts";
export * as compare from "./compare.ts";
export * as gate from "./gate.ts";
export * as importResults from "./import.ts";
export * as judge from "./judge.ts";
export * as mutate from "./mutate.ts";
export * as report from "./report.ts";
export * as run from "./run.ts";
export * as sheet from "./sheet.ts";
