import { sql } from "drizzle-orm";
import { type CopiedTable, quoted } from "#platform/backup/copied-table.ts";
import { d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Most rows of a table that are counted. */
const COUNTED_MAX = 1000;

/** The rows of a table that a deployment has before anybody keeps something in it. */
interface FreshRows {
  /** SQL for the rows that do not count; by default all. */
  readonly where?: string;
  /** How many of the rows that count there may be; by default none. */
  readonly most?: number;
}

const ALL: FreshRows = {};
/** SQL for what the smoke test of `npm run deploy` has made and deleted. It keeps no deployment from being empty. */
const IS_SMOKE_TEST = "deleted_at IS NOT NULL AND name GLOB 'smoke-test-[0-9]*'";
const SMOKE_TEST: FreshRows = { where: IS_SMOKE_TEST };
const ONE: FreshRows = { where: "FALSE", most: 1 };

/**
 * The tables that may have rows in an empty deployment: the first client and person, their logins, keys, the audit of all this, and what the
 * smoke test of `npm run deploy` leaves. A restoration replaces them. All other tables are empty.
 */
const FRESH: Readonly<Record<string, FreshRows>> = {
  audit: ALL,
  auth_client_secrets: ALL,
  auth_clients: ONE,
  auth_codes: ALL,
  auth_device_codes: ALL,
  auth_former_authorities: ALL,
  auth_grants: ALL,
  auth_invitations: ALL,
  auth_logins: ALL,
  auth_passkeys: ALL,
  auth_people: ONE,
  auth_quota_refusals: ALL,
  auth_refresh_tokens: ALL,
  auth_revocations: ALL,
  auth_sessions: ALL,
  auth_signing_keys: ALL,
  dead_letters: ALL,
  ledgers: SMOKE_TEST,
  orchestration_trigger_generation: ALL,
  outbox: ALL,
  required_migration: ALL,
  search_gaps: ALL,
  secret_keys: ALL,
  webhook_configs: SMOKE_TEST,
  webhook_owed: ALL,
  webhook_payloads: ALL,
};

/**
 * Whether no ledger was ever made, but by smoke tests whose ledgers are still there: ids of ledgers are given away once. The statement that
 * begins a restoration has it, too.
 */
export const HAS_NEVER_HAD_LEDGERS = sql`
  (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'ledgers') = (SELECT count(*) FROM ledgers WHERE ${sql.raw(IS_SMOKE_TEST)})`;

/** What keeps a backup from being restored into this deployment, a part of a sentence each: `3 rows of ledgers`. Nothing if it is empty. */
export async function whatIsInTheWay(env: Pick<Env, "DB">): Promise<string[]> {
  const database = d1CopyDatabase(env.DB);
  const tables = await restorableTables(database);
  const counts = await database.batch(tables.map((table) => ({ text: countOf(table) })));
  const found = tables.flatMap(({ name }, index) => {
    const rows = Number(counts[index]?.[0]?.["rows"] ?? 0);
    const { most = 0 } = FRESH[name] ?? ALL;
    const shown = rows > COUNTED_MAX ? `more than ${COUNTED_MAX}` : String(rows);
    return rows > most ? [`${shown} rows of ${name}`] : [];
  });
  if (found.length > 0) return found;
  const [row] = await databaseOf(env).all<{ never: number }>(
    sql`SELECT ${HAS_NEVER_HAD_LEDGERS} AS never`,
  );
  return row?.never === 1 ? [] : ["had ledgers that were purged, perhaps of smoke tests"];
}

/** SQL for the number of rows that count. */
function countOf({ name }: CopiedTable): string {
  const fresh = Object.hasOwn(FRESH, name) ? FRESH[name] : undefined;
  const counts = fresh === undefined ? "TRUE" : `NOT (${fresh.where ?? "TRUE"})`;
  return `SELECT count(*) AS rows FROM (SELECT 1 FROM ${quoted(name)} WHERE ${counts} LIMIT ${COUNTED_MAX + 1})`;
}
