import {
  type QueryParams,
  type QueryRequest,
  type QueryResource,
  type QueryTemplate,
  resolveQuery,
} from "#ledger-engine";
import { toFilterText } from "#platform/filter/filter.ts";
import type { SortColumns } from "#platform/paging/cursor.ts";
import type { ListScope, Order } from "#platform/paging/query.ts";

/** The list that a query stands for. */
export interface QueryList {
  readonly resource: QueryResource;
  /** The only column that the list is sorted by. */
  readonly columns: SortColumns;
  readonly order: Order;
  readonly scope: ListScope;
}

/** Throws `VALIDATION` where a variable is missing or wrong. */
export function toQueryList(template: QueryTemplate, request: QueryRequest): QueryList {
  const { resource, filter, params } = resolveQuery(template, request);
  const { column, order } = sortOf(resource, params);
  return {
    resource,
    columns: { [column]: KINDS[column] ?? "date" },
    order,
    scope: scopeOf(resource, params, toFilterText(filter)),
  };
}

function scopeOf(
  resource: QueryResource,
  { startTime, endTime, insertionDate, groupBy }: QueryParams,
  where: string | undefined,
): ListScope {
  const options = { insertionDate: insertionDate ?? false, groupBy: groupBy ?? 0 };
  return {
    ...(where === undefined ? {} : { where }),
    ...(endTime === undefined ? {} : { pit: endTime }),
    ...(startTime === undefined ? {} : { oot: startTime }),
    ...(resource === "volumes" ? { options } : {}),
  };
}

/** The order in which the server sorts each list by default. */
const STANDARDS: Readonly<Record<QueryResource, { column: string; order: Order }>> = {
  transactions: { column: "id", order: "desc" },
  accounts: { column: "address", order: "asc" },
  logs: { column: "id", order: "desc" },
  volumes: { column: "account", order: "asc" },
};

/** The types of the columns that are not dates. */
const KINDS: SortColumns = { id: "integer", address: "text", account: "text" };

/** The order that checked parameters ask for. */
function sortOf(resource: QueryResource, { sort }: QueryParams): { column: string; order: Order } {
  const standard = STANDARDS[resource];
  if (sort === undefined) return standard;
  const [field = "", direction = standard.order] = sort.split(":");
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { column, order: direction.toLowerCase() === "asc" ? "asc" : "desc" };
}
