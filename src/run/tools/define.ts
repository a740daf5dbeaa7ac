import { compileSchema, type SchemaCheck } from "../../core/match/schema.ts";
import type { Tool, ToolArgs, ToolContext, ToolResult } from "./tool.ts";

/** A parameter: its JSON Schema with a description for the model. */
export type Parameter = Readonly<Record<string, unknown>>;

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly required: readonly string[];
  readonly approval?: boolean;
  /** Acts on the world: calls of one reply take turns. */
  run(args: ToolArgs, context: ToolContext): ToolResult | Promise<ToolResult>;
}

/** Makes a built-in tool. Its schema is closed: a misspelt argument is told to the model instead of being dropped. */
export function defineTool(definition: Definition): Tool {
  const { name, description, required } = definition;
  const parameters = {
    type: "object",
    properties: definition.parameters,
    required: [...required],
    additionalProperties: false,
  };
  return {
    spec: { type: "function", function: { name, description, parameters } },
    approval: definition.approval ?? false,
    check: lazily(() => compileSchema(parameters)),
    run: (args, context) => context.world.inOrder(() => definition.run(args, context)),
  };
}

/** Compiles a schema when the first arguments come. */
export function lazily(make: () => SchemaCheck): SchemaCheck {
  let made: SchemaCheck | null = null;
  return (value) => {
    made ??= make();
    return made(value);
  };
}
