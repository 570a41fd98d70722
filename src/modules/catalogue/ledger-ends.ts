import { sql } from "drizzle-orm";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { LEDGER_PART } from "#platform/restoration/restored-parts.ts";

/** Uuids that one statement asks for. Their text is far below the two million bytes that D1 binds. */
const ASKED_MAX = 20_000;

/**
 * The id of the last entry of each ledger as its log came back from a backup, by the uuids of the ledgers; -1 for a ledger without a log. A
 * uuid that the catalogue does not have is left out. An object of a backup is later than the logs of its backup, and asks which entries there
 * are. One statement answers for all: an object may know thousands of ledgers.
 */
export async function lastEntriesOf(
  env: Pick<Env, "DB">,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (let from = 0; from < uuids.length; from += ASKED_MAX) {
    const asked = stringifyJson(uuids.slice(from, from + ASKED_MAX));
    const rows = await databaseOf(env).all<{ uuid: string; last: number }>(sql`
      SELECT l.uuid, coalesce(p.last_log_id, -1) AS last
      FROM json_each(${asked}) AS asked
      JOIN ledgers AS l ON l.uuid = asked.value AND l.purging_since IS NULL
      LEFT JOIN restored_parts AS p ON p.kind = ${LEDGER_PART} AND p.name = l.uuid`);
    for (const { uuid, last } of rows) ends.set(uuid, last);
  }
  return ends;
}

/** As `lastEntriesOf`, for the ledger with a name, deleted or not; undefined for an unknown ledger. */
export async function lastEntryOfNamed(
  env: Pick<Env, "DB">,
  name: string,
): Promise<number | undefined> {
  const [row] = await databaseOf(env).all<{ last: number }>(sql`
    SELECT coalesce(p.last_log_id, -1) AS last FROM ledgers AS l
    LEFT JOIN restored_parts AS p ON p.kind = ${LEDGER_PART} AND p.name = l.uuid
    WHERE l.name = ${name} AND l.purging_since IS NULL`);
  return row?.last;
}
