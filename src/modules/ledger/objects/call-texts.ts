import type { ReadCall } from "./calls.ts";
import { parseOwn, stringifyOwn } from "#platform/json.ts";

/**
 * A read as one text. A text crosses to the object with less work than objects do, and the object finds kept answers by it. Reads that may
 * have different answers have different texts. Only reads of pages have bigints: the keys at which pages start.
 */
export const toCallText = (call: ReadCall): string =>
  stringifyOwn(call, { hasBigints: typeof call.args[0] === "object" });

/** The read that `toCallText` has written. Members that were undefined are absent. */
export const fromCallText = (text: string): ReadCall => parseOwn(text) as ReadCall; // `toCallText` has written it
