import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Items by whether they can be stored. */
export interface SiftedItems<Item> {
  readonly items: readonly Item[];
  readonly rejected: readonly RejectedItem[];
}

/** Sets aside what has a problem. */
export function siftItems<Item extends object>(
  all: readonly Item[],
  problemOf: (item: Item) => string | undefined,
): SiftedItems<Item> {
  const items: Item[] = [];
  const rejected: RejectedItem[] = [];
  for (const item of all) {
    const reason = problemOf(item);
    if (reason === undefined) items.push(item);
    else rejected.push({ id: idOf(item), raw: rawOfItem(item), reason });
  }
  return { items, rejected };
}

/** Balances have no reference of their own. */
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
