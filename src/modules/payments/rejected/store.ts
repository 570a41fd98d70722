import { and, eq, type SQL, sql } from "drizzle-orm";
import { paymentRejectedItems } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER, rowItems } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/** Most items of a connector that are set aside, and most bytes of them. What does not fit stays at the provider, and holds up its feed. */
export const REJECTED_ITEMS_MAX = 1000;
export const REJECTED_BYTES_MAX = 8_000_000;
/** Most of a raw text that is kept, in characters. */
const RAW_LENGTH_MAX = 20_000;
/** Most of a reason that is kept, in characters. */
const REASON_LENGTH_MAX = 1000;

/** Where an item came from: a page of a fetch, or a webhook, which has no schedule, fetch and run: they are 0. */
export interface RejectionPlace {
  readonly scheduleKey: number;
  readonly fetchKey: number;
  readonly task: string;
  /** The state of the fetch before the page. */
  readonly state: string | null;
  /** The run; 0 for none. */
  readonly instanceKey: number;
  /** Whether the page was asked for again because of what was set aside of it. */
  readonly isRetry: boolean;
}

export type RejectedRow = typeof paymentRejectedItems.$inferSelect;

const purposeOf = ({ id }: InstalledConnector): string => `rejected items of ${id.reference}`;

export const openRaw = (
  { env }: Pick<ServiceContext, "env">,
  connector: InstalledConnector,
  { raw }: RejectedRow,
): string => SecretBox.from(env).open(raw, purposeOf(connector));

/**
 * The statements that set items aside. One that was set aside before is tried once more. Throws `ConnectorError` where there is no room for
 * them: then their page is not stored, so that nothing of it is lost.
 */
export async function rejectionStatements(
  context: Pick<ServiceContext, "env" | "clock">,
  { connector, place }: { readonly connector: InstalledConnector; readonly place: RejectionPlace },
  items: readonly RejectedItem[],
) {
  if (items.length === 0) return [];
  const { env, clock } = context;
  const db = databaseOf(env);
  const box = SecretBox.from(env);
  const now = clock();
  const unique = [...new Map(items.map((item) => [item.id, item])).values()];
  const rows = unique.map(({ id, raw, reason }) => {
    const kept = raw.slice(0, RAW_LENGTH_MAX);
    const bytes = Buffer.byteLength(kept) + Buffer.byteLength(place.state ?? "");
    const sealed = box.seal(kept, purposeOf(connector));
    return [id, sealed, reason.slice(0, REASON_LENGTH_MAX), bytes];
  });
  await assertRoom(db, connector, { place, rows });
  const { scheduleKey, fetchKey, task, state, instanceKey, isRetry } = place;
  return [
    db
      .insert(paymentRejectedItems)
      .select(
        sql`
        SELECT NULL, ${installedKey(connector)}, ${scheduleKey}, ${fetchKey}, ${task}, ${rowItems(3)}, ${state},
          r.item ->> 3, ${now}, ${now}, 1, ${instanceKey}, ${isRetry ? instanceKey : 0}
        FROM ${jsonRows(rows)} AS r WHERE true ORDER BY ${ROW_ORDER}`,
      )
      .onConflictDoUpdate({
        target: [
          paymentRejectedItems.connectorKey,
          paymentRejectedItems.scheduleKey,
          paymentRejectedItems.fetchKey,
          paymentRejectedItems.itemId,
        ],
        set: {
          raw: sql`excluded.raw`,
          reason: sql`excluded.reason`,
          state: sql`excluded.state`,
          bytes: sql`excluded.bytes`,
          triedAt: now,
          attempts: sql`attempts + 1`,
          instanceKey,
          retriedIn: sql`max(${paymentRejectedItems.retriedIn}, excluded.retried_in)`,
        },
      }),
  ];
}

async function assertRoom(
  db: Database,
  { key }: InstalledConnector,
  {
    place,
    rows,
  }: {
    readonly place: Pick<RejectionPlace, "scheduleKey" | "fetchKey">;
    readonly rows: readonly (readonly unknown[])[];
  },
): Promise<void> {
  const ids = stringifyJson(rows.map(([id]) => id));
  const [kept] = await db.all<{ count: number; bytes: number }>(sql`
    SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM ${paymentRejectedItems}
    WHERE connector_key = ${key} AND NOT (schedule_key = ${place.scheduleKey}
      AND fetch_key = ${place.fetchKey} AND item_id IN (SELECT value FROM json_each(${ids})))`);
  const count = (kept?.count ?? 0) + rows.length;
  const bytes = rows.reduce((sum, row) => sum + Number(row[3]), kept?.bytes ?? 0);
  if (count <= REJECTED_ITEMS_MAX && bytes <= REJECTED_BYTES_MAX) return;
  throw new ConnectorError(
    "invalid",
    `${rows.length} items of a page, ${String(rows[0]?.[0])} being the first, cannot be stored, and ${kept?.count ?? 0} of the connector are set aside already: ${String(rows[0]?.[2])}`,
  );
}

/** Items of a schedule, of all its fetches, that were read after all. */
export const settledStatement = (
  db: Database,
  { scheduleKey, ids }: { readonly scheduleKey: number; readonly ids: readonly string[] },
) =>
  db
    .delete(paymentRejectedItems)
    .where(
      sql`schedule_key = ${scheduleKey} AND item_id IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
    );

/** Whether something of a schedule is set aside. */
export async function hasRejected(db: Database, scheduleKey: number): Promise<boolean> {
  const found = await db
    .select({ key: paymentRejectedItems.key })
    .from(paymentRejectedItems)
    .where(eq(paymentRejectedItems.scheduleKey, scheduleKey))
    .limit(1);
  return found.length > 0;
}

/** Most pages that one run asks for again because of what was set aside of them. */
const RETRIES_MAX = 50;

/** A page that a run has to ask for again: that of the item which has waited for longest. */
export async function nextRetry(
  db: Database,
  { scheduleKey, instanceKey }: Pick<RejectionPlace, "scheduleKey" | "instanceKey">,
): Promise<Pick<RejectedRow, "fetchKey" | "state"> | undefined> {
  const [row] = await db
    .select({ fetchKey: paymentRejectedItems.fetchKey, state: paymentRejectedItems.state })
    .from(paymentRejectedItems)
    .where(
      sql`schedule_key = ${scheduleKey} AND instance_key <> ${instanceKey} AND ${RETRIES_MAX} > (
        SELECT count(*) FROM (
          SELECT DISTINCT fetch_key, state FROM ${paymentRejectedItems}
          WHERE schedule_key = ${scheduleKey} AND retried_in = ${instanceKey}))`,
    )
    .orderBy(paymentRejectedItems.instanceKey, paymentRejectedItems.key)
    .limit(1);
  return row;
}

/** The statement that notes that the page of items was asked for again. */
export const retriedStatement = (
  db: Database,
  { scheduleKey, fetchKey, state, instanceKey }: Omit<RejectionPlace, "task" | "isRetry">,
  now: RejectedRow["triedAt"],
) =>
  db
    .update(paymentRejectedItems)
    .set({ instanceKey, retriedIn: instanceKey, triedAt: now })
    .where(isOfPlace({ scheduleKey, fetchKey, state }));

const isOfPlace = ({
  scheduleKey,
  fetchKey,
  state,
}: Pick<RejectionPlace, "scheduleKey" | "fetchKey" | "state">): SQL | undefined =>
  and(
    eq(paymentRejectedItems.scheduleKey, scheduleKey),
    eq(paymentRejectedItems.fetchKey, fetchKey),
    sql`state IS ${state}`,
  );
