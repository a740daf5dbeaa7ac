// Commands that look at files and servers, bundled as one file: fewer files are opened at each start.
export * as assemble from "./assemble.ts";
export * as doctor from "./doctor.ts";
export * as flakes from "./flakes.ts";
export * as init from "./init.ts";
export * as list from "./list.ts";
export * as plan from "./plan.ts";
export * as show from "./show.ts";
export * as skills from "./skills.ts";
export * as validate from "./validate.ts";
