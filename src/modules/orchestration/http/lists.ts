import { z } from "@hono/zod-openapi";
import { ListParams, toPageQuery } from "#platform/http/index.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageKey, PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/** Parameters of lists in pages. */
export const PageParams = ListParams.extend({
  sort: z.enum(["createdAt:asc", "createdAt:desc"]).optional().openapi({
    description: "Florin's own: the order; by default, the oldest first.",
  }),
});

/** Largest page; a larger page size is lowered to this one. */
const PAGE_SIZE_MAX = 100;

/** The page that a request asks for, of a list whose entries are in the order of their creation or the opposite one. Throws `VALIDATION`. */
export const toPage = (
  list: string,
  request: { readonly query: z.output<typeof PageParams>; readonly where?: string },
  settings: PlatformSettings,
): PageQuery =>
  toPageQuery(
    {
      ...request.query,
      sort: request.query.sort?.replace("createdAt", "key"),
      where: request.where,
    },
    { list, columns: { key: "integer" }, column: "key", order: "asc" },
    {
      ...settings,
      FLORIN_MAX_PAGE_SIZE: Math.min(settings.FLORIN_MAX_PAGE_SIZE, PAGE_SIZE_MAX),
    },
  );

/**
 * All entries of a list, as the first generation of the API shows them. A page is read when the client takes it, so that memory holds one
 * page at most.
 */
export async function* allInPages<Item extends { readonly key: number }, View>(
  read: (query: PageQuery) => Promise<Page<Item>>,
  view: (item: Item) => View,
  where?: string,
): AsyncGenerator<View[], undefined> {
  for (let start: PageKey | undefined; ;) {
    const { data, hasMore } = await read({
      kind: "column",
      column: "key",
      order: "asc",
      pageSize: PAGE_SIZE_MAX,
      reverse: false,
      ...(where === undefined ? {} : { where }),
      ...(start === undefined ? {} : { start }),
    });
    yield data.map(view);
    const last = data.at(-1);
    if (!hasMore || last === undefined) return;
    start = { value: BigInt(last.key + 1) };
  }
}
