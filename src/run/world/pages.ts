import type { Page } from "../../core/nouns/case.ts";

/** A page of the case's world under its own address. */
export interface FoundPage {
  readonly url: string;
  readonly page: Page;
}

/**
 * Finds a page by address: as written in the case, else with the fragment dropped and either form of a trailing slash.
 * There is no network behind it: what the case does not hold does not exist.
 */
export function findPage(pages: Readonly<Record<string, Page>>, url: string): FoundPage | null {
  const wanted = url.trim();
  for (const key of Object.keys(pages)) if (key === wanted) return found(pages, key);
  const address = plainAddress(wanted);
  if (address === null) return null;
  for (const key of Object.keys(pages)) if (plainAddress(key) === address) return found(pages, key);
  return null;
}

/** Whether the case's world holds any page of the address's host. */
export function knowsHost(pages: Readonly<Record<string, Page>>, url: string): boolean {
  const host = hostOf(url);
  return host !== null && Object.keys(pages).some((key) => hostOf(key) === host);
}

/** The host of an http or https address, or null. */
export function hostOf(url: string): string | null {
  return parsed(url)?.host ?? null;
}

function found(pages: Readonly<Record<string, Page>>, key: string): FoundPage | null {
  const page = Object.hasOwn(pages, key) ? pages[key] : undefined;
  return page === undefined ? null : { url: key, page };
}

function plainAddress(url: string): string | null {
  const address = parsed(url);
  if (address === null) return null;
  return `${address.protocol}//${address.host}${address.pathname.replace(/\/+$/, "")}${address.search}`;
}

function parsed(url: string): URL | null {
  const address = URL.canParse(url) ? new URL(url) : null;
  return address !== null && /^https?:$/.test(address.protocol) ? address : null;
}
