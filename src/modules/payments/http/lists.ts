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

/** The parameters of all lists. A `sort` is ignored, as clients rely on it: the newest item always comes first. */
export const ListQuery = ListParams.omit({ sort: true }).extend(FilterParams.shape);

/** The filter in the body, for clients that do not send it in `query`. */
export const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description: "A filter, where `query` has none; empty for none.",
});

/** The members that the specifications of all lists of a collection share. */
export const LIST = {
  method: "get",
  scope: "payments:read",
  query: ListQuery,
  body: FilterBody,
} as const;

/** The handler of a list of a collection: reads a page, and turns each item into its view. */
export const listing =
  <Item, View>(
    /** The name of the list. Cursors of other lists are refused. */
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

/** The columns by which lists are sorted. */
const COLUMNS = { created_at: "date", key: "integer" } as const;

/** The page that a request asks for, in a list that is sorted by `created_at` or by another column. Throws `VALIDATION`. */
export const toListQuery = (
  /** The name of the list. Cursors of other lists are refused. */
  list: string,
  request: {
    readonly query: z.output<typeof ListQuery>;
    readonly body: unknown;
    readonly settings: PlatformSettings;
    /** Functions for keys whose values clients write differently than columns hold them. */
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
