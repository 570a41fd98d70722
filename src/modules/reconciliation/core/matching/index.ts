import { assignPairs } from "./assignment.ts";
import { type Found, NOTHING } from "./block.ts";
import { matchGroups } from "./groups.ts";
import type { OpenLine } from "./line.ts";
import type { Pass } from "./pass.ts";
import { type Window, windowsOf } from "./windows.ts";

export { blockingKey, type Found, type Group } from "./block.ts";
export type { OpenLine } from "./line.ts";
export type { Pass } from "./pass.ts";
export { WindowBuilder, windowOrder } from "./windows.ts";

/** What a pass finds among open lines that have one blocking key, in the order of `windowOrder`. */
export function matchKey(pass: Pass, lines: Iterable<OpenLine>): Found {
  const all = [...windowsOf(pass, lines)].map((window) => matchWindow(pass, window));
  return {
    matches: all.flatMap(({ matches }) => matches),
    ambiguous: all.flatMap(({ ambiguous }) => ambiguous),
    givenUp: all.flatMap(({ givenUp }) => givenUp),
  };
}

/** What a pass finds in one window. */
export function matchWindow(pass: Pass, window: Window): Found {
  if ("tooMany" in window) return { ...NOTHING, givenUp: window.tooMany };
  if (window.left.length === 0 || window.right.length === 0) return NOTHING;
  return pass.cardinality === "1:1" ? assignPairs(pass, window) : matchGroups(pass, window);
}
