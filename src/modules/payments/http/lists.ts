import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type FilterValueMap, mapFilterValues } from "./filter-values.ts";
import type { ServiceContext } from "#platform/context.ts";
import {
  type AppEnv,
  deploymentOf,
  filterOf,
  FilterParams,
  ListParams,
  toPageQuery,
} from "#platform/http/index.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** The parameters of all lists. A `sort` is ignored, as clients rely on it: the newest item always comes first. */
export const ListQuery = ListParams.omit({ sort: true }).extend(FilterParams.shape);

/** The filter in the body, for clients that do not send it in `query`. */
export const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description: "A filter, where `query` has none; empty for none.",
});

/** The parameters of lists, and the body that may have their filter. */
export const LIST = { query: ListQuery, body: FilterBody } as const;

interface ListRequest {
  readonly query: z.output<typeof ListQuery>;
  readonly body: unknown;
  readonly context: ServiceContext;
  readonly c: Context<AppEnv>;
}

/** The handler of a list of a collection, which reads a page. */
export const listing =
  <Item>(
    /** The name of the list. Cursors of other lists are refused. */
    name: string,
    read: (context: ServiceContext, query: PageQuery) => Promise<Page<Item>>,
  ) =>
  ({ query, body, context, c }: ListRequest): Promise<Page<Item>> =>
    read(context, toListQuery(name, { query, body, c }));

/** The columns by which lists are sorted. */
const COLUMNS = { created_at: "date", key: "integer" } as const;

/** The page that a request asks for, in a list that is sorted by `created_at` or by another column. Throws `VALIDATION`. */
export const toListQuery = (
  /** The name of the list. Cursors of other lists are refused. */
  list: string,
  request: {
    readonly query: z.output<typeof ListQuery>;
    readonly body: unknown;
    readonly c: Context<AppEnv>;
    /** Functions for keys whose values clients write differently than columns hold them. */
    readonly values?: FilterValueMap;
    readonly column?: keyof typeof COLUMNS;
  },
): PageQuery => {
  const { query, body, c, values = {}, column = "created_at" } = request;
  return toPageQuery(
    { ...query, where: mapFilterValues(filterOf(query, body), values) },
    { list, columns: { [column]: COLUMNS[column] }, column, order: "desc" },
    deploymentOf(c).settings,
  );
};
