import { toScope } from "./requests.ts";
import type { LedgerList, LedgerListOptions, LedgerPageRequest } from "./types.ts";
import { AppError } from "#platform/errors.ts";
import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ListOptions, PageQuery } from "#platform/paging/query.ts";

/** Items that a walk reads at a time. A caller that stops early has read at most so many for nothing. */
const PAGE_SIZE = 250;
const LEDGER_PAGE_SIZE_MAX = 1000;

interface ListedResource {
  /** Name of the list, for its cursors: ledger and resource. */
  readonly list: string;
  /** The column by which the list is sorted. */
  readonly columns: SortColumns;
  readonly options: LedgerListOptions;
  /** Further options of the resource's lists, which its cursors carry. */
  readonly fixed?: ListOptions;
}

/** A list of a ledger whose pages `read` reads. */
export function ledgerList<T>(
  { list, columns, options, fixed }: ListedResource,
  read: (query: PageQuery) => Promise<Page<T>>,
): LedgerList<T> {
  const own = fixed === undefined ? {} : { options: fixed };
  const rules = { columns, list, pageSizeMax: LEDGER_PAGE_SIZE_MAX, ...own };
  const [column = ""] = Object.keys(columns);
  const { order = "asc", ...scope } = options;
  const page = async ({ pageSize, cursor }: LedgerPageRequest = {}): Promise<Page<T>> => {
    const size = pageSize === undefined ? undefined : toPageSize(pageSize);
    if (cursor !== undefined) {
      const query = decodeCursor(cursor, rules);
      return read({ ...query, pageSize: size ?? query.pageSize });
    }
    const wanted = { list: rules.list, column, order, ...toScope(scope), ...own };
    return read({ kind: "column", ...wanted, pageSize: size ?? PAGE_SIZE, reverse: false });
  };
  return { page, [Symbol.asyncIterator]: () => walk(page) };
}

async function* walk<T>(
  page: (request: LedgerPageRequest) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, next } = await page({ cursor });
    yield* data;
    cursor = next;
  } while (cursor !== undefined);
}

function toPageSize(pageSize: number): number {
  if (Number.isSafeInteger(pageSize) && pageSize > 0) {
    return Math.min(pageSize, LEDGER_PAGE_SIZE_MAX);
  }
  throw new AppError("VALIDATION", "invalid page size: expected a positive integer");
}
