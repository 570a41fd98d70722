import { LANE_START_MS } from "./fill.ts";
import type { ReadCase } from "#bench/reads/cases.ts";
import { DELIVERY_STATUSES } from "#modules/webhooks/core/delivery.ts";
import type { DeliveryQuery } from "#modules/webhooks/core/lane.ts";
import { LaneChanges } from "#modules/webhooks/lane/lane-changes.ts";
import type { LaneReads } from "#modules/webhooks/lane/lane-reads.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Rows of a page of 100, and one more, which tells whether another page follows. */
const PAGE = 101;
/** Most deliveries of each status that one turn of a purge reads. */
const PURGE = 500;
const LIMIT_MS = 50;

const PAGES = ["first", "middle", "last"] as const;

/** The cases: each filter of a list of `count` deliveries, alone and with dates, and a turn of a purge. */
export function deliveryCases(sql: Sql, reads: LaneReads, count: number): ReadCase[] {
  const dates = {
    "": {},
    " of some dates": {
      fromMs: LANE_START_MS + count / 4,
      toMs: LANE_START_MS + (count * 3) / 4,
    },
    " of old dates": { toMs: LANE_START_MS + 20 },
    " of no date": { toMs: LANE_START_MS },
  };
  const statuses = [
    undefined,
    ...DELIVERY_STATUSES.map((status) => [status]),
    ["pending", "failed"] as const,
    DELIVERY_STATUSES,
  ];
  const lists = statuses.flatMap((some) =>
    Object.entries(dates).flatMap(([dateName, within]) =>
      PAGES.map((page) => {
        const query = { ...within, ...pageOf(reads, page, count), statuses: some };
        return {
          name: `${some?.join(", ") ?? "all"}${dateName}, ${page} page`,
          run: () => reads.list(query),
        };
      }),
    ),
  );
  const changes = new LaneChanges(sql);
  const purge = { succeededBeforeMs: 0, othersBeforeMs: 0, limit: PURGE };
  return [
    ...lists,
    { name: "a turn of a purge that finds nothing old", run: () => changes.purge(purge) },
  ].map((item) => ({ ...item, limitMs: LIMIT_MS }));
}

function pageOf(reads: LaneReads, page: (typeof PAGES)[number], count: number): DeliveryQuery {
  const query = { order: "desc", limit: PAGE } as const;
  if (page === "first") return query;
  const after = reads.find(page === "middle" ? Math.floor(count / 2) : PAGE);
  return { ...query, after };
}
