import type { BulkElement } from "#ledger-engine";
import type { Failure } from "#platform/errors.ts";
import { parseOwn } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";

/** How far a bulk has come that ends at its first failure. */
export interface BulkProgress {
  /** The number of elements that succeeded. */
  readonly executed: number;
  /** The failure of the next element; undefined if all succeeded. */
  readonly failure?: Failure;
}

/** The elements of a bulk that the service has written as a text. Variables and metadata in it may be called `bigint`. */
export const parseElements = (text: string): BulkElement[] =>
  parseOwn(text, { hasBigints: false }) as BulkElement[]; // written by the service

/** How far a bulk has come, by the results of its elements. */
export function progressOf(results: readonly Result<unknown>[]): BulkProgress {
  const last = results.at(-1);
  if (last === undefined || last.ok) return { executed: results.length };
  return { executed: results.length - 1, failure: last.failure };
}
