import { infiniteQueryOptions } from "@tanstack/react-query";

/** Rows that a page of a list asks for. */
export const PAGE_SIZE = 50;

/** A page of a list, and the cursor of the next one. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** The cursor of the API's lists. */
interface Cursor<Row> {
  readonly cursor: {
    readonly data: readonly Row[];
    readonly hasMore: boolean;
    readonly next?: string | undefined;
  };
}

/** The query of a list that is read page by page. */
export type PagesQuery<Row> = ReturnType<typeof pages<Row>>;

/**
 * The query of a list that is read page by page. `read` gets the cursor of the page, which is undefined for the first one. `readPage` reads a
 * page outside of the list, for a file.
 */
export function pages<Row>(
  key: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Cursor<Row>>,
) {
  const readPage = async (cursor: string | undefined, signal: AbortSignal): Promise<Page<Row>> =>
    pageOf(await read(cursor, signal));
  const options = infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<Row>) => next,
  });
  return { ...options, readPage };
}

const pageOf = <Row>({ cursor: { data, hasMore, next } }: Cursor<Row>): Page<Row> => ({
  rows: data,
  next: hasMore ? next : undefined,
});
