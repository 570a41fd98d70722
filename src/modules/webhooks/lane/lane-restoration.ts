import { LaneChanges } from "./lane-changes.ts";
import { LaneStore } from "./lane-store.ts";
import { LANE_TABLES } from "./lane-tables.ts";
import { lastEntriesOf } from "#modules/catalogue/index.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import { ObjectRestoration } from "#platform/backup/object-restoration.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { hasSteps } from "#platform/sql/table-steps.ts";

/**
 * Brings a lane back from a backup. The database is earlier than the lane, and the logs of ledgers lie between them:
 *
 *     the lane knows                             and then
 *     a delivery that was made after T           It is not made again: what has ended stays so.
 *     a delivery of an entry that is not there   It is forgotten: the ledger will give the id to another entry.
 *     an event of the outbox that is not there   Its delivery fails, because no body is there; one that has ended stays.
 *     a later revision of the config             The database decides, whatever its revision is.
 *
 * `goOn` lets the lane go on, by the config as the database has it.
 */
export const laneRestoration = (
  env: Env,
  sql: Sql,
  goOn: (spec: LaneSpec) => void,
): ObjectRestoration =>
  new ObjectRestoration({
    sql,
    tables: LANE_TABLES,
    settle: async () => {
      const changes = new LaneChanges(sql);
      const ledgers = hasSteps(sql) ? changes.ledgers() : new Map<number, string>();
      const ends = await lastEntriesOf(env, [...ledgers.values()]);
      const known = new LaneStore(sql).readState()?.spec;
      const spec = known && (await LaneSpecs.from(env).find(known.configId));
      const lastEntries = [...ledgers].flatMap(([origin, uuid]): [number, number][] => {
        const last = ends.get(uuid);
        return last === undefined ? [] : [[origin, last]];
      });
      return {
        change: () => {
          if (hasSteps(sql)) changes.fitTo(new Map(lastEntries));
        },
        wake: () => {
          if (spec !== undefined) goOn(spec);
        },
      };
    },
  });
