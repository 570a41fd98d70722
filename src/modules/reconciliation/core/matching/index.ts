import { assignPairs } from "./assignment.ts";
import { type Found, NOTHING } from "./block.ts";
import { matchGroups } from "./groups.ts";
import type { OpenLine } from "./line.ts";
import type { Pass } from "./pass.ts";
import { windowsOf } from "./windows.ts";

export { blockingKey, type Found, type Group } from "./block.ts";
export type { OpenLine } from "./line.ts";
export type { Pass } from "./pass.ts";
export { windowOrder } from "./windows.ts";

/** What a pass finds among open lines that have one blocking key, in the order of `windowOrder`. */
export function matchKey(pass: Pass, lines: Iterable<OpenLine>): Found {
  const matches: Found["matches"][number][] = [];
  const ambiguous: Found["ambiguous"][number][] = [];
  const givenUp: number[] = [];
  for (const window of windowsOf(pass, lines)) {
    const found =
      "tooMany" in window
        ? { ...NOTHING, givenUp: window.tooMany }
        : pass.cardinality === "1:1"
          ? assignPairs(pass, window)
          : matchGroups(pass, window);
    matches.push(...found.matches);
    ambiguous.push(...found.ambiguous);
    givenUp.push(...found.givenUp);
  }
  return { matches, ambiguous, givenUp };
}
