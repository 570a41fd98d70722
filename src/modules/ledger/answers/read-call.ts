import type { AmountForm } from "./result-json.ts";
import { writeResult } from "./result-json.ts";
import type { LedgerEngine, ReadName } from "#ledger-engine";
import { parseOwn, stringifyOwn } from "#platform/json.ts";

/** A read of the ledger, with the arguments and the answer of the method of `LedgerReads`. */
export interface ReadCall {
  readonly name: ReadName;
  readonly args: readonly unknown[];
  /** The form of amounts in the JSON of an answer's items. Without it, the items are objects. */
  readonly amounts?: AmountForm;
}

/**
 * A read as one text. A text crosses to the object with less work than objects do, and is the key of the read's answers in both caches.
 * Reads that may have different answers have different texts. Only reads of pages have bigints: the keys at which pages start.
 */
export const toCallText = (call: ReadCall): string =>
  stringifyOwn(call, { hasBigints: hasKey(call.args[0]) });

/** Whether an argument is the query of a page that starts at a key. */
const hasKey = (argument: unknown): boolean =>
  typeof argument === "object" &&
  argument !== null &&
  ("start" in argument || "bottom" in argument);

/** The read that `toCallText` has written. Members that were undefined are absent. */
export const fromCallText = (text: string): ReadCall => parseOwn(text) as ReadCall; // `toCallText` has written it

/** Calls a read of the engine in one piece. The result has the JSON of its items if the call names a form of amounts. */
export function callRead({ reads }: LedgerEngine, { name, args, amounts }: ReadCall): unknown {
  const method = reads[name] as (...args: readonly unknown[]) => unknown; // the caller gives each read its own arguments
  const found = method.apply(reads, args as unknown[]); // no method changes them
  return amounts === undefined ? found : writeResult(name, found, amounts);
}
