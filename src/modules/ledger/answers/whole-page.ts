import type { CountPart } from "#ledger-engine";
import { joinPages, type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";

/** Most turns of a ledger that one page takes. A page that needs more ends early, and its cursor goes on. */
const PAGE_TURNS_MAX = 100;

/** Reads a page in several turns of the ledger if necessary. The ledger does other work between them. */
export async function wholePage<T>(
  query: PageQuery,
  read: (part: PageQuery) => Promise<Page<T>>,
  turnsMax = PAGE_TURNS_MAX,
): Promise<Page<T>> {
  let page = await read(query);
  for (let turns = 1; page.rest !== undefined && turns < turnsMax; turns++) {
    page = joinPages(query, page, await read(page.rest));
  }
  return page;
}

/** Counts in several parts if necessary. The ledger does other work between them. */
export async function wholeCount(read: (after?: string) => Promise<CountPart>): Promise<number> {
  let { count, after } = await read();
  while (after !== undefined) {
    const part = await read(after);
    count += part.count;
    ({ after } = part);
  }
  return count;
}
