// Writes docs/schema/ from the zod schemas that cases and config are checked with. A test fails when they are not current.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundle = await build({
  absWorkingDir: root,
  entryPoints: ["src/core/config/json-schema.ts"],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
});
const { publishedSchemas } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`
);
mkdirSync(`${root}docs/schema`, { recursive: true });
for (const [name, text] of publishedSchemas()) writeFileSync(`${root}docs/schema/${name}`, text);
