import type { Html } from "./markup.ts";

/** A part of the page: where links lead, its heading, and what stands under it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}
