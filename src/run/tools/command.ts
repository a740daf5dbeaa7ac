import { defineTool } from "./define.ts";
import { cutText } from "./files.ts";
import { failed, textArg } from "./tool.ts";

/** `execute_command`: a command in the simulated shell. The result ends with the exit code. */
export const executeCommand = defineTool({
  name: "execute_command",
  description:
    "Runs a bash command line in the workspace root and returns its output and exit code. Pipes, redirections and the usual text tools are there (grep, sed, awk, sort, wc, jq, diff, curl, …); interpreters, package managers and git are not. Changes of files stay; cd and variables don't carry over to the next command.",
  parameters: {
    command: {
      type: "string",
      minLength: 1,
      description: 'The command line, such as "sort data.csv | uniq -c".',
    },
  },
  required: ["command"],
  approval: true,
  run: async (args, { world, signal }) => {
    const command = textArg(args, "command");
    if (command.trim() === "") return failed("the command is empty");
    const { stdout, stderr, exitCode } = await world.run(command, signal);
    const parts = [stdout, stderr]
      .filter((part) => part !== "")
      .map((part) => (part.endsWith("\n") ? part : `${part}\n`));
    return { text: `${cutText(parts.join(""))}[exit code ${exitCode}]`, error: exitCode !== 0 };
  },
});
