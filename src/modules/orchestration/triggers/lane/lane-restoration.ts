import { TriggerLaneStore } from "./lane-store.ts";
import { LANE_TABLES } from "./tables.ts";
import { lastEntriesOf } from "#modules/catalogue/index.ts";
import { ObjectRestoration } from "#platform/backup/object-restoration.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { parseTimestamp, toMillis } from "#platform/time.ts";

/** The id of an event of a ledger: the uuid of the ledger and the id of the entry. Ids of other events are uuids alone. */
const OF_LEDGER = /^([0-9a-f-]{36}).(\d+)$/;

/**
 * Brings the lane of an owner back from a backup. The lane is later than the logs of ledgers, and these are later than the database:
 *
 *     what the lane knows                         and then
 *     an event that waits, and is in the backup   Its filters are evaluated, as they would have been.
 *     an event of an entry that is not there      It is forgotten: nothing that it tells of is there.
 *     another event that is later than T          It is forgotten, too.
 *     an event whose filters were evaluated       It is not there any more: the original has started its instances.
 *     figures, the budget                         They are as they were.
 *
 * `goOn` lets the lane evaluate filters.
 */
export const triggerLaneRestoration = (env: Env, sql: Sql, goOn: () => void): ObjectRestoration =>
  new ObjectRestoration({
    sql,
    tables: LANE_TABLES,
    settle: async ({ databaseMs }) => {
      const store = new TriggerLaneStore(sql);
      const events = store.waitingIds().map((id) => {
        const [, uuid, entry] = OF_LEDGER.exec(id) ?? [];
        return { id, uuid, entry: Number(entry) };
      });
      const uuids = new Set(events.flatMap(({ uuid }) => uuid ?? []));
      const ends = await lastEntriesOf(env, [...uuids]);
      const isUnknown = ({ id, uuid, entry }: (typeof events)[number]): boolean =>
        uuid === undefined
          ? isLaterThan(store.dateOf(id), databaseMs)
          : entry > (ends.get(uuid) ?? -1);
      const unknown = events.filter(isUnknown).map(({ id }) => id);
      return { change: () => store.forget(unknown), wake: goOn };
    },
  });

/** Whether a date is later than a moment, in milliseconds since the epoch. */
function isLaterThan(text: string | undefined, momentMs: number): boolean {
  const date = text === undefined ? undefined : parseTimestamp(text);
  return date !== undefined && toMillis(date) > momentMs;
}
