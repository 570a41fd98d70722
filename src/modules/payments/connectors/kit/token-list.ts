import { z } from "zod";
import { readEachAsync } from "./items.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";

/** Where the next page begins; absent for the first one. */
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
  /** Undefined for a value that is left out. */
  readonly read: (value: unknown) => Item | undefined | Promise<Item | undefined>;
}

/**
 * One page of a list that can only be read from its beginning, by tokens that each page names for the next one. Each run reads all of it:
 * what is known changes nothing, and what has changed is found.
 */
export async function fetchTokenList<Item>(
  { state, pageSize }: Pick<FetchRequest, "state" | "pageSize">,
  { readPage, read }: TokenList<Item>,
): Promise<FetchPage<Item>> {
  const { token } = State.parse(state ?? {});
  const { values, next } = await readPage({ token, pageSize });
  const items = await readEachAsync(values, read);
  // A page that names itself as the next one has no end.
  const hasMore = next !== undefined && next !== token;
  return { ...items, state: hasMore ? { token: next } : undefined, hasMore };
}
