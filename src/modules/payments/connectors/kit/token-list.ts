import { z } from "zod";
import { readEachAsync } from "./items.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";

/** The token of the next page; absent for the first page. */
const State = z.object({ token: z.string().optional() });

/** A page of a list, and the token of the next one; undefined for the last page. */
export interface TokenPage {
  readonly values: readonly unknown[];
  readonly next: string | undefined;
}

export interface TokenList<Item> {
  readonly readPage: (place: {
    readonly token: string | undefined;
    readonly pageSize: number;
  }) => Promise<TokenPage>;
  /** Reads a value; undefined for a value that is left out. */
  readonly read: (value: unknown) => Item | undefined | Promise<Item | undefined>;
}

/**
 * One page of a list that can be read only from its beginning, where each page gives the token of the next one. Each run reads the whole
 * list: known items change nothing when they are stored again, and changed items are found.
 */
export async function fetchTokenList<Item>(
  { state, pageSize }: Pick<FetchRequest, "state" | "pageSize">,
  { readPage, read }: TokenList<Item>,
): Promise<FetchPage<Item>> {
  const { token } = State.parse(state ?? {});
  const { values, next } = await readPage({ token, pageSize });
  const items = await readEachAsync(values, read);
  // A page whose next page is itself would be read for ever.
  const hasMore = next !== undefined && next !== token;
  return { ...items, state: hasMore ? { token: next } : undefined, hasMore };
}
