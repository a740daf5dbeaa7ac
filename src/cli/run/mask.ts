import { createMask } from "../../io/mask.ts";
import type { Project } from "../../io/project.ts";
import type { CliIo } from "../command.ts";

/** What takes every secret that this run knows of out of a text: the environment's keys, headers, configured keys. */
export function maskFor({ settings }: Project, io: CliIo): (text: string) => string {
  const keys = [settings.apiKey, settings.judge.apiKey].flatMap((key) => (key === null ? [] : [key]));
  return createMask(io.env, settings.headers, keys);
}
