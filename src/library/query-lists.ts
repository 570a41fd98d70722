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

export interface QueryList {
  readonly resource: QueryResource;
  /** The single sort column of the list. */
  readonly columns: SortColumns;
  readonly order: Order;
  readonly scope: ListScope;
}

/** The list of a query template with the values of a request. Throws `VALIDATION` if a variable is missing or wrong. */
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

/** The server's default order of each list. */
const STANDARDS: Readonly<Record<QueryResource, { column: string; order: Order }>> = {
  transactions: { column: "id", order: "desc" },
  accounts: { column: "address", order: "asc" },
  logs: { column: "id", order: "desc" },
  volumes: { column: "account", order: "asc" },
};

/** The types of columns other than dates. */
const KINDS: SortColumns = { id: "integer", address: "text", account: "text" };

/** The sort column and the order of checked parameters. */
function sortOf(resource: QueryResource, { sort }: QueryParams): { column: string; order: Order } {
  const standard = STANDARDS[resource];
  if (sort === undefined) return standard;
  const [field = "", direction = standard.order] = sort.split(":");
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { column, order: direction.toLowerCase() === "asc" ? "asc" : "desc" };
}
