import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryOptions,
} from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo } from "react";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import type { Page } from "./pages.ts";
import { Failure, LoadingRows, useIsSlow } from "#console/parts/base/states.tsx";
import { NewRowsButton } from "#console/parts/live/new-rows.tsx";

/** The options of a list in pages, as `infiniteQueryOptions` makes them. */
export type ListQuery<Row> = UseInfiniteQueryOptions<
  Page<Row>,
  Error,
  InfiniteData<Page<Row>>,
  readonly unknown[],
  string | undefined
>;

interface ListProps<Row> extends Omit<
  DataTableProps<Row>,
  "rows" | "hasMore" | "onMore" | "isDimmed"
> {
  readonly query: ListQuery<Row>;
  /** What stands in place of an empty list. */
  readonly empty: ReactNode;
}

/** A list of the API, page by page as it is scrolled. What was there stays, dimmed, while another filter loads. */
export function List<Row extends object>({ query, empty, ...table }: ListProps<Row>) {
  const {
    data,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    isPlaceholderData,
    fetchNextPage,
  } = useInfiniteQuery({ ...query, placeholderData: (before) => before });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const isDimmed = useIsSlow(isPlaceholderData);
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  if (rows.length === 0) {
    return (
      <>
        {table.news !== undefined && <NewRowsButton news={table.news} onShow={table.news.show} />}
        {empty}
      </>
    );
  }
  return (
    <>
      {error !== null && (
        <Failure error={error} retry={() => void (hasNextPage ? fetchNextPage() : refetch())} />
      )}
      <DataTable
        {...table}
        rows={rows}
        hasMore={hasNextPage && error === null}
        onMore={more}
        isDimmed={isDimmed}
      />
    </>
  );
}
