import type { Command } from "commander";
import type { CliIo } from "../command.ts";
import { defineExport } from "../sheet-export.ts";
import { defineImport } from "../sheet-import.ts";

/** `evalkit sheet`: blinded scoring sheets for people. */
export function define(command: Command, io: CliIo): void {
  command
    .description("Blinded scoring sheets for people: export, and import of what they scored")
    .addHelpText(
      "after",
      [
        "",
        "Example:",
        "  evalkit sheet export latest --raters ann,bob --out sheets",
        "  evalkit sheet import latest sheets/sheet-ann.csv sheets/sheet-bob.csv --key sheets/key.json",
      ].join("\n"),
    );
  defineExport(command.command("export"), io);
  defineImport(command.command("import"), io);
}
