import type { Command } from "commander";
import type { Settings } from "../../core/config/settings.ts";
import { createMask } from "../../io/mask.ts";
import { routeTo } from "../../io/openai-model.ts";
import { openPatient } from "../../io/patient.ts";
import type { Check } from "../../run/doctor/checks.ts";
import { examine, type Findings } from "../../run/doctor/examine.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags, projectFor } from "../options.ts";
import { connectionOfBranch } from "../run/connection.ts";
import { requestSettings } from "../run/model.ts";

const HELP = `
Asks the server some twelve short questions, one after the other: does it answer, does it read tool calls, does it stream
them, does it honour seed and max_tokens, does it count tokens. What it finds wrong it says with the setting to change.
Exit code 0: usable with the settings of this project. 4: not usable.

Examples:
  evalkit doctor --base-url http://127.0.0.1:11434/v1 --model qwen3:8b
  evalkit doctor --no-stream --json
`;

/** `evalkit doctor`: what a model server can do, told plainly. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["model"])
    .option("--json", "print the findings as JSON")
    .addHelpText("after", HELP)
    .action((options: { readonly json?: boolean }) => doctor(command, options.json === true, io));
}

async function doctor(command: Command, json: boolean, io: CliIo): Promise<void> {
  const project = await projectFor(command, io, true);
  const { settings } = project;
  await connectionOfBranch(project, io);
  const reach = {
    baseUrl: settings.baseUrl,
    env: io.env,
    mask: createMask(io.env, settings.headers, [settings.apiKey]),
  };
  const { host: server, proxy } = routeTo(reach);
  const way = proxy === null ? "" : `, through the proxy ${proxy.origin} (${proxy.variable})`;
  if (!json) io.out(`Server ${server}${settings.model === null ? "" : `, model ${settings.model}`}${way}`);
  const findings = await examine({
    patient: openPatient({
      ...reach,
      apiKey: settings.apiKey,
      headers: settings.headers,
      timeoutSeconds: settings.timeout,
    }),
    model: settings.model,
    settings: requestSettings(settings),
    signal: new AbortController().signal,
    tell: (check) => {
      if (!json) io.out(checkText(check));
    },
  });
  io.out(
    json
      ? JSON.stringify(
          { schema: "evalkit.doctor/1", server, proxy: proxy?.origin ?? null, ...findings },
          null,
          2,
        )
      : summaryText(findings, settings),
  );
  io.exit(findings.usable ? EXIT.ok : EXIT.harness);
}

function checkText({ level, name, found, set }: Check): string {
  const head = `  ${level.padEnd(8)} ${name.padEnd(21)} ${found}`;
  return set === "" ? head : `${head}\n${" ".repeat(11)}${"→ set".padEnd(21)} ${set}`;
}

function summaryText({ usable, model, checks }: Findings, settings: Settings): string {
  const count = (level: Check["level"]) => checks.filter((check) => check.level === level).length;
  const asked = settings.model === null && model !== null ? ` (asked: ${model}, the first it lists)` : "";
  const faults = `${count("fault")} fault(s), ${count("warning")} warning(s)`;
  return usable
    ? `Usable with these settings: ${faults}${asked}.`
    : `Not usable with these settings: ${faults}${asked}.`;
}
