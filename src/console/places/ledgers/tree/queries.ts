import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type Segment = components["schemas"]["AccountSegment"];
export type Sum = components["schemas"]["SubtreeSum"];

/** Segments that a page of a level has. */
const LEVEL_PAGE = 30;
/** Time for which a sum of the present is shown before it is read again, in milliseconds. */
const SUM_CURRENT_MS = 15_000;
/** Wait before a sum goes on, in milliseconds. Each request has worked for about 150 ms. */
const NEXT_SLICE_MS = 50;
/** Sums that are read at once. A ledger works on one request at a time, and names go first. */
const SUMS_AT_ONCE = 2;

/** A level of the tree of accounts, page by page. The first level has an empty prefix. */
export const levelQuery = (ledger: string, prefix: string, pit: string | undefined) =>
  pages<Segment>(["ledgers", ledger, "tree", prefix, pit], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/ledgers/{ledger}/accounts/tree",
      {
        path: { ledger },
        query:
          cursor === undefined
            ? { prefix: prefix === "" ? undefined : prefix, pageSize: LEVEL_PAGE, pit }
            : { cursor },
      },
      { signal },
    ),
  );

/** The sums of a segment: asked for again and again until all accounts are in them. */
export const sumQuery = (ledger: string, address: string, pit: string | undefined) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "tree-sums", address, pit],
    queryFn: ({ signal }) =>
      inTurn(
        async () =>
          (
            await florin.get(
              "/api/florin/v1/ledgers/{ledger}/accounts/tree/sums",
              { path: { ledger }, query: { address, pit } },
              { signal },
            )
          ).data,
        signal,
      ),
    staleTime: SUM_CURRENT_MS,
    refetchInterval: ({ state: { data, status } }) =>
      data?.complete === false && status !== "error" ? NEXT_SLICE_MS : false,
  });

let free = SUMS_AT_ONCE;
const waiting: (() => void)[] = [];

/** Does work when it is its turn. Work that nobody waits for any more gives its turn to the next one. */
async function inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}
