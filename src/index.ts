export { VERSION } from "./cli/version.ts";
