import type { BulkProgress } from "./calls.ts";
import type { BulkElement, Outcome } from "#ledger-engine";
import { parseOwn } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";

/** The elements of a bulk that the service has written as a text. Variables and metadata in it may be called `bigint`. */
export const parseElements = (text: string): BulkElement[] =>
  parseOwn(text, { hasBigints: false }) as BulkElement[]; // written by the service

/** How far a bulk has come that ends at its first failure. */
export function toBulkProgress(results: readonly Result<Outcome>[]): BulkProgress {
  const last = results.at(-1);
  if (last === undefined || last.ok) return { executed: results.length };
  return { executed: results.length - 1, failure: last.failure };
}
