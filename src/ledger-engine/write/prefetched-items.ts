import type { DecodedEntry } from "./pending-entry.ts";
import type { ImportedEntry } from "#ledger-engine/rules/log/imported-log.ts";
import type { Posting } from "#ledger-engine/rules/types.ts";
import type { BulkElement } from "#ledger-engine/rules/writes.ts";
import type { ItemsAhead, PrefetchedItems } from "#ledger-engine/storage/row-cache.ts";

/** The number of elements of a bulk whose items are read ahead at first. Most bulks lack few items or none. */
const ELEMENTS_FIRST = 64;
/** The factor by which each further look ahead is longer, so that a bulk that lacks many items takes few statements. */
const ELEMENTS_GROWTH = 4;

/**
 * The items of the elements of a bulk, a part at a time. The items of scripts are unknown before they run. `done` gives the number of
 * elements that have run.
 */
export function elementsAhead(elements: readonly BulkElement[], done: () => number): ItemsAhead {
  let [end, count] = [0, ELEMENTS_FIRST];
  return () => {
    const begin = done();
    if (begin < end) return undefined;
    end = begin + count;
    count *= ELEMENTS_GROWTH;
    return itemsOfElements(elements.slice(begin, end));
  };
}

/** The items of entries of a log, all at once. */
export function entriesAhead(items: () => PrefetchedItems): ItemsAhead {
  let areGiven = false;
  return () => {
    if (areGiven) return undefined;
    areGiven = true;
    return items();
  };
}

function itemsOfElements(elements: readonly BulkElement[]): PrefetchedItems {
  const items = new Items();
  for (const { command, idempotencyKey } of elements) {
    if (command.ok && command.value.kind === "createTransaction") {
      items.addTransaction(command.value);
    }
    items.addKey(idempotencyKey);
  }
  return items;
}

export function itemsOfImported(entries: readonly ImportedEntry[]): PrefetchedItems {
  const items = new Items();
  for (const { data, idempotencyKey } of entries) {
    if ("transaction" in data) items.addTransaction(data.transaction);
    items.addKey(idempotencyKey);
  }
  return items;
}

/** The items of replayed entries. Their keys are left out, because replay does not look them up. */
export function itemsOfReplayed(entries: readonly DecodedEntry[]): PrefetchedItems {
  const items = new Items();
  for (const entry of entries) {
    if ("transaction" in entry) items.addTransaction(entry.transaction);
  }
  return items;
}

interface Prefetched {
  readonly postings: readonly Posting[];
  readonly reference?: string | undefined;
}

class Items implements PrefetchedItems {
  readonly postings: Posting[] = [];
  readonly references: string[] = [];
  readonly keys: string[] = [];

  addTransaction({ postings, reference }: Prefetched): void {
    for (const posting of postings) this.postings.push(posting);
    if (reference !== undefined) this.references.push(reference);
  }

  addKey(key: string): void {
    if (key !== "") this.keys.push(key);
  }
}
