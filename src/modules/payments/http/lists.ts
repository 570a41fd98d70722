import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type FilterValueMap, mapFilterValues } from "./filter-values.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { filterOf, FilterParams, ListParams, toPageQuery } from "#platform/http/listing.ts";
import { toCursorView } from "#platform/http/schemas.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/** The parameters of all lists. A `sort` is ignored, as clients rely on it: the newest comes first everywhere. */
export const ListQuery = ListParams.omit({ sort: true }).extend(FilterParams.shape);

/** The other place of a filter. */
export const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description: "A filter, where `query` has none; empty for none.",
});

/** What all lists of a whole collection have in common, besides their handler. */
export const LIST = {
  method: "get",
  scope: "payments:read",
  query: ListQuery,
  body: FilterBody,
} as const;

/** The handler of such a list: reads a page, and shows each item. */
export const listing =
  <Item, View>(
    /** Names the list, so that the cursors of others are refused. */
    name: string,
    read: (context: ServiceContext, query: PageQuery) => Promise<Page<Item>>,
    view: (item: Item) => View,
  ) =>
  async ({
    query,
    body,
    c,
  }: {
    readonly query: z.output<typeof ListQuery>;
    readonly body: unknown;
    readonly c: Context<AppEnv>;
  }) => {
    const context = c.get("context");
    const { settings } = deploymentOf(c);
    const page = await read(context, toListQuery(name, { query, body, settings }));
    return { status: 200 as const, body: toCursorView(mapPage(page, view)) };
  };

/** The columns that lists are sorted by. */
const COLUMNS = { created_at: "date", key: "integer" } as const;

/** The page that a request asks for, of a list with the sort column `created_at` or another one. Throws `VALIDATION`. */
export const toListQuery = (
  /** Names the list, so that the cursors of others are refused. */
  list: string,
  request: {
    readonly query: z.output<typeof ListQuery>;
    readonly body: unknown;
    readonly settings: PlatformSettings;
    /** Where clients write values in another way than columns hold them. */
    readonly values?: FilterValueMap;
    readonly column?: keyof typeof COLUMNS;
  },
): PageQuery => {
  const { query, body, settings, values = {}, column = "created_at" } = request;
  return toPageQuery(
    { ...query, where: mapFilterValues(filterOf(query, body), values) },
    { list, columns: { [column]: COLUMNS[column] }, column, order: "desc" },
    settings,
  );
};
