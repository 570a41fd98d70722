import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import type { LiveEvent, LiveState } from "#console/parts/live/ledger-stream.ts";
import { NewIds } from "#console/parts/live/new-ids.ts";
import type { NewRows } from "#console/parts/live/new-rows.tsx";
import { throttle, useLedgerLive } from "#console/parts/live/use-ledger-live.ts";
import { type Page, PAGE_SIZE } from "#console/parts/table/pages.ts";
import {
  type Transaction,
  transactionKey,
  transactionsQuery,
} from "#console/places/ledgers/queries.ts";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import type { Integer } from "#openapi";
import { parseJson } from "#platform/json.ts";

type Pages = InfiniteData<Page<Transaction>, string | undefined>;

/** Least time between two looks at a filtered list, and between two changes of the count, in milliseconds. */
const LOOK_MS = 2000;
const SHOW_MS = 250;

/**
 * The transactions that were written since the list was read. A list without filters counts entries of the log; a list with filters looks at its
 * first page when something was written, at most every two seconds. Reverts mark their rows in place.
 */
export function useNewTransactions(
  ledger: string,
  filter: string | undefined,
): { readonly news: NewRows; readonly state: LiveState } {
  const queries = useQueryClient();
  const { at } = useMoments();
  const { query, ids, looking, showing } = useMemo(
    () => counterOf(transactionsQuery(ledger, filter, at)),
    [ledger, filter, at],
  );
  const { data: top } = useInfiniteQuery({ ...query, select: topOf });
  const [, setShown] = useState("");
  useEffect(
    () => () => {
      looking.cancel();
      showing.cancel();
    },
    [looking, showing],
  );
  // A list is drawn anew only for another count: beyond the most that are counted, writes cost the page nothing.
  const recount = useEffectEvent(() => {
    const { count, isMore } = ids.above(top ?? NOTHING_READ);
    setShown(`${count} ${isMore}`);
  });
  const showCount = (): void => showing.run(() => recount());
  const look = useEffectEvent(async () => {
    const listed = topOf(await queries.ensureInfiniteQueryData(query));
    if (ids.above(listed).isMore) return;
    const { rows } = await query.readPage(undefined, new AbortController().signal);
    for (const { id } of rows) ids.add(id);
    const last = rows.at(-1);
    if (last !== undefined && rows.length === PAGE_SIZE) ids.miss(BigInt(last.id));
    showCount();
  });
  const lookSoon = (): void => looking.run(() => void look().catch(() => undefined));
  const state = useLedgerLive(ledger, undefined, (event) => {
    if (at !== undefined) return; // What is written now does not change the past.
    const { made, reverted } = changeOf(event);
    if (reverted !== undefined)
      queries.setQueryData<Pages>(query.queryKey, (list) => markReverted(list, reverted));
    if (made === undefined || filter !== undefined) {
      if (event.kind === "start" || made !== undefined) lookSoon();
      return;
    }
    ids.add(made);
    showCount();
  });
  const show = (): void => {
    queries.setQueryData<Pages>(query.queryKey, firstPage);
    void queries.invalidateQueries({ queryKey: query.queryKey });
  };
  return { news: { ...ids.above(top ?? NOTHING_READ), show }, state };
}

/** Reads a transaction anew when it is reverted, or when its metadata change. */
export function useLiveTransaction(ledger: string, id: string): void {
  const queries = useQueryClient();
  useLedgerLive(ledger, undefined, (event) => {
    const { reverted, described } = changeOf(event);
    if (event.kind === "start" || [reverted, described].some((other) => String(other) === id))
      void queries.invalidateQueries({ queryKey: transactionKey(ledger, id) });
  });
}

/** What counts the new rows of one list. */
const counterOf = (query: ReturnType<typeof transactionsQuery>) => ({
  query,
  ids: new NewIds(),
  looking: throttle(LOOK_MS),
  showing: throttle(SHOW_MS),
});

/** The top of a list that is not read yet: nothing is above it. */
const NOTHING_READ = 2n ** 64n;

/** What an event changes: the transaction that it made, that it reverted, or whose metadata it changed. */
interface Change {
  readonly made?: Integer | undefined;
  readonly reverted?: Integer | undefined;
  readonly described?: Integer | undefined;
}

/** An entry of the log, as far as pages follow it. */
interface Entry {
  readonly data: {
    readonly transaction?: { readonly id: Integer };
    readonly revertedTransaction?: { readonly id: Integer };
    readonly targetType?: "ACCOUNT" | "TRANSACTION";
    readonly targetId?: Integer | string;
  };
}

function changeOf(event: LiveEvent): Change {
  if (event.kind !== "entry") return {};
  const { data } = parseJson(event.data) as Entry; // The stream sends entries as the list of log entries shows them.
  return {
    made: data.transaction?.id,
    reverted: data.revertedTransaction?.id,
    described: data.targetType === "TRANSACTION" ? (data.targetId as Integer) : undefined, // Ids of transactions are integers.
  };
}

/** The id of the newest transaction of a list; below all ids if the list is empty. */
function topOf({ pages }: Pages): bigint {
  const first = pages[0]?.rows[0];
  return first === undefined ? -1n : BigInt(first.id);
}

const firstPage = (list: Pages | undefined): Pages | undefined =>
  list && { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };

function markReverted(list: Pages | undefined, id: Integer): Pages | undefined {
  if (list === undefined) return list;
  const mark = (row: Transaction): Transaction =>
    String(row.id) === String(id) ? { ...row, reverted: true } : row;
  return {
    ...list,
    pages: list.pages.map((page) =>
      page.rows.some((row) => String(row.id) === String(id))
        ? { ...page, rows: page.rows.map(mark) }
        : page,
    ),
  };
}
