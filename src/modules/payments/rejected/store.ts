import { and, eq, type SQL, sql } from "drizzle-orm";
import { paymentRejectedItems } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/**
 * Most rejected items of a connector, and most bytes of them. If items exceed these limits, their page is not stored and
 * its fetch fails, so that no item is lost.
 */
export const REJECTED_ITEMS_MAX = 1000;
export const REJECTED_BYTES_MAX = 8_000_000;
/** Longest raw text that is stored, in characters. Longer texts are cut. */
const RAW_LENGTH_MAX = 20_000;
/** Longest reason that is stored, in characters. Longer reasons are cut. */
const REASON_LENGTH_MAX = 1000;

/** The source of an item: a page of a fetch, or a webhook. For a webhook, the keys of schedule, fetch and run are 0. */
export interface RejectionPlace {
  readonly scheduleKey: number;
  readonly fetchKey: number;
  readonly task: string;
  /** The state of the fetch before the page. */
  readonly state: string | null;
  /** The run that has fetched the page; 0 for a webhook. */
  readonly instanceKey: number;
  /** Whether the page was fetched again because of its rejected items. */
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
 * The statements that store rejected items. An item that is stored already counts one more attempt. Throws `ConnectorError`
 * if the items exceed the limits of the connector; their page is then not stored, so that no item is lost.
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
    return { itemId: id, raw: sealed, reason: reason.slice(0, REASON_LENGTH_MAX), bytes };
  });
  await assertRoom(db, connector, { place, rows });
  const { scheduleKey, fetchKey, task, state, instanceKey, isRetry } = place;
  const { source, items: rejected } = jsonRows(rows);
  return [
    db
      .insert(paymentRejectedItems)
      .select(
        sql`
        SELECT ${columnValues(paymentRejectedItems, {
          ...rejected,
          key: null,
          connectorKey: installedKey(connector),
          scheduleKey,
          fetchKey,
          task,
          state,
          createdAt: now,
          triedAt: now,
          attempts: sql`1`,
          instanceKey,
          retriedIn: isRetry ? instanceKey : 0,
        })}
        FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`,
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
    readonly rows: readonly Pick<RejectedRow, "itemId" | "reason" | "bytes">[];
  },
): Promise<void> {
  const ids = stringifyJson(rows.map(({ itemId }) => itemId));
  const [kept] = await db.all<{ count: number; bytes: number }>(sql`
    SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM ${paymentRejectedItems}
    WHERE connector_key = ${key} AND NOT (schedule_key = ${place.scheduleKey}
      AND fetch_key = ${place.fetchKey} AND item_id IN (SELECT value FROM json_each(${ids})))`);
  const count = (kept?.count ?? 0) + rows.length;
  const bytes = rows.reduce((sum, row) => sum + row.bytes, kept?.bytes ?? 0);
  if (count <= REJECTED_ITEMS_MAX && bytes <= REJECTED_BYTES_MAX) return;
  throw new ConnectorError(
    "invalid",
    `${rows.length} items of a page, ${String(rows[0]?.itemId)} being the first, cannot be stored, and ${kept?.count ?? 0} of the connector are set aside already: ${String(rows[0]?.reason)}`,
  );
}

/** The statement that deletes rejected items of a schedule, in all its fetches, which could be read later. */
export const rejectionDeletion = (
  db: Database,
  { scheduleKey, ids }: { readonly scheduleKey: number; readonly ids: readonly string[] },
) =>
  db
    .delete(paymentRejectedItems)
    .where(
      sql`schedule_key = ${scheduleKey} AND item_id IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
    );

/** Whether a schedule has rejected items. */
export async function hasRejected(db: Database, scheduleKey: number): Promise<boolean> {
  const found = await db
    .select({ key: paymentRejectedItems.key })
    .from(paymentRejectedItems)
    .where(eq(paymentRejectedItems.scheduleKey, scheduleKey))
    .limit(1);
  return found.length > 0;
}

/** Most pages that one run fetches again because of rejected items. */
const RETRIES_MAX = 50;

/** The next page that a run has to fetch again: that of the item whose last attempt is oldest. Undefined for none. */
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

/** The statement that notes that a page was fetched again. */
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
