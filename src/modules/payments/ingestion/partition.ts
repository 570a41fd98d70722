import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Items that can be stored, and the others. */
export interface PartitionedItems<Item> {
  readonly items: readonly Item[];
  readonly rejected: readonly RejectedItem[];
}

/** Splits items into those without and those with a problem. */
export function partitionItems<Item extends object>(
  all: readonly Item[],
  problemOf: (item: Item) => string | undefined,
): PartitionedItems<Item> {
  const items: Item[] = [];
  const rejected: RejectedItem[] = [];
  for (const item of all) {
    const reason = problemOf(item);
    if (reason === undefined) items.push(item);
    else rejected.push({ id: idOf(item), raw: rawOfItem(item), reason });
  }
  return { items, rejected };
}

/** The id of an item; for a balance, which has no reference, its account and asset. */
function idOf(item: {
  readonly reference?: string;
  readonly accountReference?: string;
  readonly asset?: string;
}): string {
  const { reference, accountReference, asset } = item;
  return reference ?? `${accountReference ?? ""} ${asset ?? ""}`;
}

const rawOfItem = (item: { readonly raw?: string }): string =>
  item.raw === undefined ? stringifyJson(item) : rawOf(parseJson(item.raw));
