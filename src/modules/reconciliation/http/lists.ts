import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { actingOf } from "./acting.ts";
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

/** Largest page; a larger page size is lowered to this one. */
const PAGE_SIZE_MAX = 100;

export const PageParams = ListParams.omit({ sort: true }).extend({
  pageSize: z
    .string()
    .regex(/^(?!0+$)\d{1,10}$/, "invalid 'pageSize' query param")
    .transform(Number)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: PAGE_SIZE_MAX, default: 15 }),
});

export const ListQuery = PageParams.extend(FilterParams.shape);

/** The filter in the body, for clients that do not send it in `query`. */
const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description: "A filter, where `query` has none; empty for none.",
});

/** The parameters of lists, and the body that may have their filter. */
export const LIST = { query: ListQuery, body: FilterBody } as const;

/** The columns by which lists are sorted, always the newest first. */
const COLUMNS = {
  created_at: "date",
  last_seen_at: "date",
  at: "date",
  number: "integer",
  id: "integer",
  uploaded_at: "date",
} as const;

interface PageRequest {
  readonly query: z.output<typeof PageParams> & Partial<z.output<typeof FilterParams>>;
  readonly body?: unknown;
  readonly c: Context<AppEnv>;
  /** Further filters of the list, empty for none. */
  readonly options?: Readonly<Record<string, string>>;
}

/** The page that a request asks for. Throws `VALIDATION`. */
export function toPage(
  /** The name of the list. Cursors of other lists are refused. */
  list: string,
  { query, body, c, options }: PageRequest,
  column: keyof typeof COLUMNS = "created_at",
): PageQuery {
  const { settings } = deploymentOf(c);
  return toPageQuery(
    {
      ...query,
      where: filterOf(query, body),
      ...(options === undefined ? {} : { options }),
    },
    {
      list,
      columns: { [column]: COLUMNS[column] },
      column,
      order: "desc",
      ...(options === undefined ? {} : { options: withoutValues(options) }),
    },
    {
      ...settings,
      FLORIN_MAX_PAGE_SIZE: Math.min(settings.FLORIN_MAX_PAGE_SIZE, PAGE_SIZE_MAX),
    },
  );
}

const withoutValues = (options: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, ""]));

/** The handler of a list, which reads a page of what the caller may read. */
export const listing =
  <Item>(
    list: string,
    read: (context: ServiceContext, query: PageQuery) => Promise<Page<Item>>,
    column?: keyof typeof COLUMNS,
  ) =>
  async ({
    context,
    ...request
  }: PageRequest & { readonly context: ServiceContext }): Promise<Page<Item>> => {
    const page = toPage(list, request, column);
    return read(await actingOf(request.c, context), page);
  };
