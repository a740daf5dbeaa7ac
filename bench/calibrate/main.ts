import { readFileSync, writeFileSync } from "node:fs";
import {
  coverageTable,
  type Effort,
  falseSameTable,
  gateTable,
  powerTable,
  stoppingTable,
  unchangedTable,
} from "./tables.ts";

/** `npm run calibrate [-- --quick] [-- --write]`: the figures of docs/statistics.md, seeded, so that they come out the same. */
const FULL: Effort = { verdicts: 4_000, gates: 2_000, power: 2_000, stops: 1_500 };
const QUICK: Effort = { verdicts: 500, gates: 100, power: 300, stops: 100 };

const effort = process.argv.includes("--quick") ? QUICK : FULL;
const parts = {
  unchanged: unchangedTable,
  gate: gateTable,
  coverage: coverageTable,
  "false-same": falseSameTable,
  power: powerTable,
  stopping: stoppingTable,
};
const file = "docs/statistics.md";
for (const [name, make] of Object.entries(parts)) {
  const started = performance.now();
  const text = make(effort);
  console.log(`\n${name}\n\n${text}`);
  console.error(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (process.argv.includes("--write")) put(name, text);
}

/** Puts a table between its two marks in the documentation. */
function put(name: string, text: string): void {
  const [open, close] = [`<!-- calibrate:${name} -->`, `<!-- /calibrate:${name} -->`];
  const whole = readFileSync(file, "utf8");
  const from = whole.indexOf(open);
  const to = whole.indexOf(close);
  if (from < 0 || to < from) throw new Error(`${file} has no marks ${open} … ${close}`);
  writeFileSync(file, `${whole.slice(0, from + open.length)}\n${text}\n${whole.slice(to)}`);
}
