import type { ReadCall } from "./calls.ts";
import { parseOwn, stringifyOwn } from "#platform/json.ts";

/**
 * A read as one text: that crosses to the object with less work than objects do, and it is what the object finds an answer by. Reads
 * that may have different answers have different texts. Only pages are asked for with bigints: the keys at which they start.
 */
export const toCallText = (call: ReadCall): string =>
  stringifyOwn(call, { hasBigints: typeof call.args[0] === "object" });

/** The read of such a text. Members that were undefined are absent. */
export const fromCallText = (text: string): ReadCall => parseOwn(text) as ReadCall; // as `toCallText` wrote it
