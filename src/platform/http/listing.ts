import { z } from "@hono/zod-openapi";
import { AppError } from "#platform/errors.ts";
import { parseJsonFilter, toFilterText } from "#platform/filter/filter.ts";
import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import { type ListOptions, type Order, type PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** The rules of a resource's list: cursors, options and sort columns. */
export interface ListRules {
  /** The name of the list in its cursors, so that cursors of other lists are refused. */
  readonly list?: string;
  /** The options of the list besides filter, dates and expansions, with their defaults. */
  readonly options?: ListOptions;
  readonly columns: SortColumns;
  readonly column: string;
  readonly order: Order;
}

const Repeatable = z.union([z.string(), z.array(z.string())]).optional();

/** The size of a page. Each list has its own bounds. */
export const PageSize = z
  .string()
  .regex(/^\d{1,10}$/, "expected an unsigned integer")
  .transform(Number);

/** The parameters that all cursor lists share. */
export const ListParams = z.object({
  cursor: z.string().optional().openapi({
    description:
      "A cursor from an earlier answer. It makes all other parameters except `pageSize` ignored.",
  }),
  pageSize: PageSize.optional().openapi({
    type: "integer",
    minimum: 1,
    maximum: 1000,
    default: 15,
  }),
  sort: z.string().optional().openapi({ example: "id:desc" }),
});

/** The parameter `expand`, which may be repeated. */
export const ExpandParam = Repeatable.transform((value) => [value ?? []].flat()).openapi({
  type: "array",
  items: { type: "string" },
});

/** A date in a query; empty for no date. */
export const TimestampParam = TimestampInput.optional();

/** The parameters of lists that can also show an earlier point in time. */
export const HistoryParams = z.object({
  pit: TimestampParam.openapi({
    description: "Point in time: the answer shows what there was at this date.",
  }),
  oot: TimestampParam.openapi({
    description:
      "Origin of time: volumes are those of movements at this date or later. Other reads ignore it.",
  }),
});

/** The parameter that carries a filter if the body does not. */
export const FilterParams = z.object({
  query: z.string().optional().openapi({ description: "A filter as JSON." }),
});

export interface ListRequest {
  readonly cursor?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly sort?: string | undefined;
  readonly expand?: readonly string[];
  readonly pit?: Timestamp | undefined;
  readonly oot?: Timestamp | undefined;
  /** A filter, as `filterOf` gives it. */
  readonly where?: string | undefined;
  readonly options?: ListOptions;
}

/** The page that a request asks for. Throws `VALIDATION` for a bad cursor, sort field or direction. */
export function toPageQuery(
  request: ListRequest,
  rules: ListRules,
  settings: PlatformSettings,
): PageQuery {
  const standard = settings.FLORIN_DEFAULT_PAGE_SIZE;
  const pageSizeMax = settings.FLORIN_MAX_PAGE_SIZE;
  // A page size of 0 counts as absent.
  const wanted = request.pageSize === 0 ? undefined : request.pageSize;
  if (request.cursor !== undefined) {
    const query = decodeCursor(request.cursor, { ...rules, pageSizeMax });
    const most = Math.min(Math.max(PAGE_SIZE_WITH_CURSOR_MAX, query.pageSize), pageSizeMax);
    return { ...query, pageSize: Math.min(wanted ?? query.pageSize, most) };
  }
  const { column, order } = parseSort(request.sort, rules);
  const options = request.options ?? rules.options;
  return {
    kind: "column",
    ...(rules.list === undefined ? {} : { list: rules.list }),
    column,
    order,
    pageSize: Math.min(wanted ?? standard, pageSizeMax),
    reverse: false,
    ...(request.pit === undefined ? {} : { pit: request.pit }),
    ...(request.oot === undefined ? {} : { oot: request.oot }),
    ...(request.where === undefined ? {} : { where: request.where }),
    ...(request.expand === undefined ? {} : { expand: request.expand }),
    ...(options === undefined ? {} : { options }),
  };
}

/** Largest `pageSize` of a request with a cursor, unless the page size in the cursor is larger. */
const PAGE_SIZE_WITH_CURSOR_MAX = 15;

function parseSort(sort: string | undefined, rules: ListRules): { column: string; order: Order } {
  if (sort === undefined) return rules;
  const [field = "", direction = rules.order, ...rest] = sort.split(":");
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (!Object.hasOwn(rules.columns, column)) {
    const known = Object.keys(rules.columns).join(", ");
    throw new AppError("VALIDATION", `invalid sort field '${field}': expected one of ${known}`);
  }
  const order = direction.toLowerCase();
  if ((order !== "asc" && order !== "desc") || rest.length > 0) {
    throw new AppError(
      "VALIDATION",
      `invalid order '${sort}': expected ${field}:asc or ${field}:desc`,
    );
  }
  return { column, order };
}

/**
 * The filter of a list as JSON text: the `query` parameter, or else the body. The form of the filter is checked here; its keys are checked
 * when it is applied. A request with a cursor has no filter of its own, because the cursor holds the whole query.
 */
export function filterOf(
  query: { cursor?: string | undefined; query?: string | undefined },
  body: unknown,
): string | undefined {
  if (query.cursor !== undefined) return undefined;
  return toFilterText(query.query === undefined ? body : parseJsonFilter(query.query));
}
