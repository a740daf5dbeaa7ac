// Loaded before a measured program (`node --import`): writes its own cost to the file named by BENCH_PROBE at exit.
import { writeFileSync } from "node:fs";

const started = performance.now();
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = {
    wall: performance.now() - started,
    cpu: (userCPUTime + systemCPUTime) / 1000,
    rss: maxRSS / 1024,
  };
  writeFileSync(process.env.BENCH_PROBE, JSON.stringify(cost));
});
