import { parseGlob, type GlobPart } from "./glob-parts.ts";
import { fail } from "../nouns/problem.ts";

/** What a wildcard may stand for: in `paths` no `/` and no dot at the start of a name, in `names` any character. */
export type GlobKind = "paths" | "names";

/** Longer patterns, and those that stand for more than so many steps, are a mistake or an attack. */
const MAX_PATTERN = 1_000;
const MAX_STATES = 5_000;
/** Compiled patterns are kept: each is asked for every case. */
const MAX_KEPT = 200;
const kept = new Map<string, (text: string) => boolean>();

type State =
  | { readonly op: "one"; readonly test: CharTest; readonly next: number }
  | { readonly op: "split"; readonly to: readonly number[] }
  | { readonly op: "not"; readonly inner: number; readonly next: number }
  | { readonly op: "shown"; readonly next: number }
  | { readonly op: "end" };
type CharTest = (char: string, startsName: boolean) => boolean;

/**
 * The test of a glob: star, two stars between slashes for folders, a question mark, character classes, braces with
 * alternatives or a range, and the groups `@ ? * + !` in front of brackets; a leading `!` turns the whole round. The
 * time grows with the lengths of pattern and text and never with their powers as in a backtracking engine: patterns
 * come from a branch's config too. Throws InputError for a pattern that is too large.
 */
export function compileGlob(pattern: string, kind: GlobKind): (text: string) => boolean {
  const key = `${kind} ${pattern}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  if (pattern.length > MAX_PATTERN)
    return tooLarge(pattern, `has ${pattern.length} characters, at most ${MAX_PATTERN} are taken`);
  const bangs = /^!*(?!\()/.exec(pattern)?.[0].length ?? 0;
  const states = compile(parseGlob([...pattern.slice(bangs)]), kind, pattern);
  const negated = bangs % 2 === 1;
  const matches = (text: string): boolean => new Match(states, [...text], kind).whole() !== negated;
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, matches);
  return matches;
}

function tooLarge(pattern: string, why: string): never {
  const shown = JSON.stringify(pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern);
  return fail("bad-pattern", {}, `the pattern ${shown} ${why}`, "give a shorter one, or several");
}

/** The states of a pattern; the last one is where matching begins, the first one where it ends. */
function compile(parts: readonly GlobPart[], kind: GlobKind, pattern: string): readonly State[] {
  const states: State[] = [{ op: "end" }];
  const add = (state: State): number => {
    if (states.length >= MAX_STATES) tooLarge(pattern, "stands for too many alternatives");
    return states.push(state) - 1;
  };
  const any: CharTest =
    kind === "names" ? () => true : (char, startsName) => char !== "/" && !(startsName && char === ".");
  const one = (test: CharTest, next: number) => add({ op: "one", test, next });
  /** What may be empty is not what the dot of a hidden name stands behind. */
  const shown = (next: number) => (kind === "names" ? next : add({ op: "shown", next }));
  /** `body` any number of times, then `next`. */
  const loop = (body: (again: number) => number, next: number): { enter: number; body: number } => {
    const enter = add({ op: "split", to: [] });
    const inner = body(enter);
    states[enter] = { op: "split", to: [inner, next] };
    return { enter, body: inner };
  };
  const sequence = (all: readonly GlobPart[], next: number): number =>
    all.reduceRight((after, part) => build(part, after), next);
  const branches = (all: readonly (readonly GlobPart[])[], next: number): number =>
    add({ op: "split", to: all.map((branch) => sequence(branch, next)) });
  const build = (part: GlobPart, next: number): number => {
    switch (part.kind) {
      case "char":
        return one((char) => char === part.char, next);
      case "class":
        return one((char, startsName) => any(char, startsName) && part.has(char), next);
      case "any":
        return one((char, startsName) => char !== "/" && any(char, startsName), next);
      case "star":
        return shown(loop((again) => one(any, again), next).enter);
      case "group":
        if (part.sign === "@") return branches(part.branches, next);
        if (part.sign === "?") return add({ op: "split", to: [branches(part.branches, next), next] });
        if (part.sign === "!") return shown(add({ op: "not", inner: branches(part.branches, 0), next }));
        return loop((again) => branches(part.branches, again), next)[part.sign === "+" ? "body" : "enter"];
    }
  };
  const start = sequence(parts, 0);
  add({ op: "split", to: [start] });
  return states;
}

/** One text held against the states: all states that can be reached are followed at once, character by character. */
class Match {
  readonly #states: readonly State[];
  readonly #chars: readonly string[];
  readonly #kind: GlobKind;
  readonly #known = new Map<string, ReadonlySet<number>>();

  constructor(states: readonly State[], chars: readonly string[], kind: GlobKind) {
    this.#states = states;
    this.#chars = chars;
    this.#kind = kind;
  }

  whole(): boolean {
    return this.#ends(this.#states.length - 1, 0).has(this.#chars.length);
  }

  /** Where a match that begins in a state at a place may end. */
  #ends(start: number, from: number): ReadonlySet<number> {
    const key = `${start} ${from}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const ends = new Set<number>();
    const at = new Map<number, Set<number>>([[from, new Set([start])]]);
    for (let place = from; place <= this.#chars.length; place += 1) {
      const reached = at.get(place) ?? new Set<number>();
      at.delete(place);
      // A Set that grows while it is walked yields what was added: the closure over states that read nothing.
      for (const index of reached) this.#follow(index, place, { reached, at, ends });
    }
    this.#known.set(key, ends);
    return ends;
  }

  #follow(
    index: number,
    place: number,
    to: { reached: Set<number>; at: Map<number, Set<number>>; ends: Set<number> },
  ): void {
    const state = this.#states[index];
    if (state === undefined) return;
    if (state.op === "end") to.ends.add(place);
    else if (state.op === "split") for (const next of state.to) to.reached.add(next);
    else if (state.op === "shown") {
      if (!(this.#startsName(place) && this.#chars[place] === ".")) to.reached.add(state.next);
    } else if (state.op === "one") {
      const char = this.#chars[place];
      if (char !== undefined && state.test(char, this.#startsName(place)))
        reach(to.at, place + 1, state.next);
    } else {
      const inner = this.#ends(state.inner, place);
      for (const end of this.#within(place)) {
        if (inner.has(end)) continue;
        if (end === place) to.reached.add(state.next);
        else reach(to.at, end, state.next);
      }
    }
  }

  /** Places to which a text that is anything may run. */
  #within(place: number): number[] {
    const slash = this.#kind === "paths" ? this.#chars.indexOf("/", place) : -1;
    const last = slash < 0 ? this.#chars.length : slash;
    return Array.from({ length: last - place + 1 }, (_, n) => place + n);
  }

  #startsName(place: number): boolean {
    return place === 0 || this.#chars[place - 1] === "/";
  }
}

function reach(at: Map<number, Set<number>>, place: number, state: number): void {
  const there = at.get(place);
  if (there === undefined) at.set(place, new Set([state]));
  else there.add(state);
}
