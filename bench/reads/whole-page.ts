import { joinPages, type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";

/** Reads a page as the service does, in one or more turns. Returns the page and the number of turns. */
export function wholePage<T>(
  query: PageQuery,
  read: (part: PageQuery) => Page<T>,
): { page: Page<T>; turns: number } {
  let page = read(query);
  let turns = 1;
  for (; page.rest !== undefined; turns++) page = joinPages(query, page, read(page.rest));
  return { page, turns };
}
