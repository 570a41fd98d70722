import type { DecodedEntry } from "./pending-entry.ts";
import type { ImportedEntry } from "#ledger-engine/rules/log/imported-log.ts";
import type { Posting } from "#ledger-engine/rules/types.ts";
import type { BulkElement } from "#ledger-engine/rules/writes.ts";
import type { PrefetchedItems } from "#ledger-engine/storage/row-cache.ts";

/** What the elements of a bulk are about to ask for, as far as it can be told before scripts run. */
export function itemsOfElements(elements: readonly BulkElement[]): PrefetchedItems {
  const commands = elements.flatMap(({ command }) => (command.ok ? command.value : []));
  return itemsOf(
    commands.filter((command) => command.kind === "createTransaction"),
    elements.map(({ idempotencyKey }) => idempotencyKey),
  );
}

/** What imported entries are about to ask for. */
export const itemsOfImported = (entries: readonly ImportedEntry[]): PrefetchedItems =>
  itemsOf(
    transactionsOf(entries.map(({ data }) => data)),
    entries.map(({ idempotencyKey }) => idempotencyKey),
  );

/** What entries that are replayed are about to ask for: their keys are not looked up. */
export const itemsOfReplayed = (entries: readonly DecodedEntry[]): PrefetchedItems =>
  itemsOf(transactionsOf(entries), []);

interface Prefetched {
  readonly postings: readonly Posting[];
  readonly reference?: string | undefined;
}

const transactionsOf = (entries: readonly (object | { transaction: Prefetched })[]): Prefetched[] =>
  entries.flatMap((entry) => ("transaction" in entry ? entry.transaction : []));

const itemsOf = (
  transactions: readonly Prefetched[],
  keys: readonly string[],
): PrefetchedItems => ({
  postings: transactions.flatMap(({ postings }) => postings),
  references: transactions.flatMap(({ reference }) => reference ?? []),
  keys: keys.filter((key) => key !== ""),
});
