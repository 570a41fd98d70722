import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import { LaneReads } from "#modules/webhooks/lane/lane-reads.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import type { Sql } from "#platform/sql/sql.ts";

const CONFIG_ID = "4997257d-dfb6-445b-929c-cbe2ab182818";
/** The newest deliveries, which are under way, and the deliveries before them, which were never attempted. */
const UNDER_WAY = 6;
const FRESH = 500;

/** The time of the first delivery, in milliseconds since the epoch. Each further delivery is a millisecond younger. */
export const LANE_START_MS = Date.parse("2026-03-01T12:00:00Z");

/**
 * Makes a lane with `count` deliveries, and returns its reads. Most deliveries have succeeded, a third was cancelled by a deactivation, one
 * in a thousand has failed, and two of the oldest wait for their retry.
 */
export function fillLane(sql: Sql, count: number): LaneReads {
  const head = count - UNDER_WAY - FRESH + 1;
  const clock = { offsetMs: 0, lastMs: LANE_START_MS };
  const spec = {
    configId: CONFIG_ID,
    revision: 1,
    endpoint: "https://hooks.example.com/in",
    active: true,
    endedRevision: 0,
    hasFailed: false,
    isDeleted: false,
  };
  new LaneStore(sql).create({ spec, breaker: CLOSED, clock, head });
  sql.all("INSERT INTO name (id, name) VALUES (1, 'ledger.committed_transactions')");
  sql.all("INSERT INTO origin (id, source, ledger, uuid) VALUES (1, 'ledger', 'shop', 'u1')");
  sql.all(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO delivery (
       seq, origin, position, type, status, created_ms, updated_ms, generation, attempts, waited_ms, due_ms)
     SELECT i, 1, i, 1,
       CASE WHEN i >= ${head} OR i IN (11, 13) THEN 0
         WHEN i % 1000 = 5 THEN 2
         WHEN i BETWEEN ${Math.floor(count / 3)} AND ${Math.floor((count * 2) / 3)} THEN 3
         ELSE 1 END,
       ${LANE_START_MS} + i, ${LANE_START_MS} + i + 50, 0, i < ${head}, 0,
       CASE WHEN i IN (11, 13) THEN ${LANE_START_MS} + ${2 * count} END
     FROM n`,
  );
  const underWay = Array.from({ length: UNDER_WAY }, (_, index) => count - index);
  return new LaneReads(sql, {
    configId: CONFIG_ID,
    underWay: new Map(underWay.map((seq) => [seq, LANE_START_MS + seq])),
    isHeld: false,
    toWallMs: (laneMs) => laneMs,
    nowMs: LANE_START_MS + count,
    // A deactivation has advanced only the stored head.
    head: 1,
  });
}
