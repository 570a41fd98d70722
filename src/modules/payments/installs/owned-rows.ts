import { getTableName, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { paymentPluginTexts } from "./tables.ts";
import { ACCOUNT_SEGMENTS } from "#modules/payments/accounts/segments.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import { CONFIRMATIONS } from "#modules/payments/balances/confirmations.ts";
import { paymentBalances } from "#modules/payments/balances/tables.ts";
import { paymentBankAccountRelations } from "#modules/payments/bank-accounts/tables.ts";
import { paymentBookingFailures, paymentBookings } from "#modules/payments/bookings/tables.ts";
import { CONVERSION_SEGMENTS } from "#modules/payments/conversions/segments.ts";
import { paymentConversions } from "#modules/payments/conversions/tables.ts";
import { isAdjustmentOfOneOf } from "#modules/payments/initiations/adjustment-keys.ts";
import {
  paymentInitiationAdjustments,
  paymentInitiationPayments,
  paymentInitiations,
  paymentMovements,
  paymentReversalAdjustments,
  paymentReversals,
} from "#modules/payments/initiations/tables.ts";
import { paymentJobs } from "#modules/payments/jobs/tables.ts";
import { ORDER_SEGMENTS } from "#modules/payments/orders/segments.ts";
import { paymentOrderAdjustments, paymentOrders } from "#modules/payments/orders/tables.ts";
import { PAYMENT_SEGMENTS } from "#modules/payments/payments/segments.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import {
  paymentFetches,
  paymentInstances,
  paymentSchedules,
} from "#modules/payments/polling/tables.ts";
import { paymentPoolAccounts } from "#modules/payments/pools/tables.ts";
import { paymentRejectedItems } from "#modules/payments/rejected/tables.ts";
import type { Segments } from "#modules/payments/segments/segments.ts";
import { paymentTasks } from "#modules/payments/tasks/tables.ts";
import {
  paymentForwardedUsers,
  paymentLinkAttempts,
  paymentUserConnections,
} from "#modules/payments/users/tables.ts";
import {
  paymentWebhookConfigs,
  paymentWebhookDeliveries,
} from "#modules/payments/webhooks/tables.ts";
import { type Database } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { stringifyJson } from "#platform/json.ts";

/** Rows that belong to a connector, and go with it. */
interface OwnedRows {
  readonly table: SQLiteTable;
  readonly connectorKey: AnySQLiteColumn;
  /** Those of the rows, which go after them. */
  readonly segments?: Pick<Segments, "removeEmpty">;
  /** What belongs to rows of this table; it goes first. */
  readonly children?: readonly ChildRows[];
}

interface ChildRows {
  readonly table: SQLiteTable;
  /** Those of the rows whose keys a query gives. */
  readonly isOfOneOf: (keys: SQL) => SQL;
}

/** Rows that have the key of what they belong to in a column. */
const rowsWith = (table: SQLiteTable, key: AnySQLiteColumn): ChildRows => ({
  table,
  isOfOneOf: (keys) => sql`${key} IN (${keys})`,
});

/** Every table whose rows belong to connectors. Whoever adds such a table adds a line here. */
const OWNED_ROWS: readonly OwnedRows[] = [
  {
    table: paymentSchedules,
    connectorKey: paymentSchedules.connectorKey,
    children: [
      rowsWith(paymentFetches, paymentFetches.scheduleKey),
      rowsWith(paymentInstances, paymentInstances.scheduleKey),
    ],
  },
  {
    table: paymentBookings,
    connectorKey: paymentBookings.connectorKey,
    children: [rowsWith(paymentBookingFailures, paymentBookingFailures.bookingKey)],
  },
  { table: paymentMovements, connectorKey: paymentMovements.connectorKey },
  {
    table: paymentReversals,
    connectorKey: paymentReversals.connectorKey,
    children: [rowsWith(paymentReversalAdjustments, paymentReversalAdjustments.reversalKey)],
  },
  {
    table: paymentInitiations,
    connectorKey: paymentInitiations.connectorKey,
    children: [
      { table: paymentInitiationAdjustments, isOfOneOf: isAdjustmentOfOneOf },
      rowsWith(paymentInitiationPayments, paymentInitiationPayments.initiationKey),
    ],
  },
  {
    table: paymentPayments,
    connectorKey: paymentPayments.connectorKey,
    children: [rowsWith(paymentAdjustments, paymentAdjustments.paymentKey)],
    segments: PAYMENT_SEGMENTS,
  },
  {
    table: paymentBalances,
    connectorKey: paymentBalances.connectorKey,
    segments: CONFIRMATIONS,
  },
  {
    table: paymentBankAccountRelations,
    connectorKey: paymentBankAccountRelations.connectorKey,
  },
  { table: paymentLinkAttempts, connectorKey: paymentLinkAttempts.connectorKey },
  { table: paymentUserConnections, connectorKey: paymentUserConnections.connectorKey },
  { table: paymentForwardedUsers, connectorKey: paymentForwardedUsers.connectorKey },
  {
    table: paymentOrders,
    connectorKey: paymentOrders.connectorKey,
    children: [rowsWith(paymentOrderAdjustments, paymentOrderAdjustments.orderKey)],
    segments: ORDER_SEGMENTS,
  },
  {
    table: paymentConversions,
    connectorKey: paymentConversions.connectorKey,
    segments: CONVERSION_SEGMENTS,
  },
  { table: paymentPoolAccounts, connectorKey: paymentPoolAccounts.connectorKey },
  { table: paymentRejectedItems, connectorKey: paymentRejectedItems.connectorKey },
  { table: paymentWebhookConfigs, connectorKey: paymentWebhookConfigs.connectorKey },
  { table: paymentWebhookDeliveries, connectorKey: paymentWebhookDeliveries.connectorKey },
  { table: paymentJobs, connectorKey: paymentJobs.connectorKey },
  {
    table: paymentAccounts,
    connectorKey: paymentAccounts.connectorKey,
    segments: ACCOUNT_SEGMENTS,
  },
  { table: paymentTasks, connectorKey: paymentTasks.connectorKey },
  { table: paymentPluginTexts, connectorKey: paymentPluginTexts.connectorKey },
];

export const OWNED_TABLES = OWNED_ROWS.map(({ table }) => getTableName(table));

/** How many rows go in one batch, and how many batches in one call: the platform limits the calls of one invocation. */
const ROWS_PER_BATCH = 500;
const BATCHES_MAX = 200;

/** Deletes rows of a connector until none is left, or the time is over, or it has deleted many. Returns whether none was left. May be repeated. */
export async function removeOwnedRows(
  db: Database,
  { connectorKey, untilMs }: { readonly connectorKey: number; readonly untilMs: number },
): Promise<boolean> {
  let batches = 0;
  for (const rows of OWNED_ROWS) {
    // Rows of others that were passed once are not read again.
    let after = -1;
    for (let last: number | undefined = after; last !== undefined; after = last ?? after) {
      if (Date.now() >= untilMs || batches++ >= BATCHES_MAX) return false;
      last = await removeSome(db, rows, { connectorKey, after });
    }
  }
  return true;
}

/** The statements that delete what little may be left, for the batch in which the connector itself goes. */
export const lastOwnedRows = (db: Database, connectorKey: number) =>
  OWNED_ROWS.flatMap((rows) => {
    const keys = sql`SELECT rowid FROM ${rows.table} WHERE ${isOf(rows, connectorKey)}`;
    return deletions(db, rows, keys);
  });

const isOf = ({ connectorKey: column }: OwnedRows, connectorKey: number): SQL =>
  sql`${column} = ${connectorKey}`;

/** Deletes the next rows; returns the last of them, undefined where there was none. */
async function removeSome(
  db: Database,
  rows: OwnedRows,
  { connectorKey, after }: { readonly connectorKey: number; readonly after: number },
): Promise<number | undefined> {
  const found = await db.all<{ key: number }>(sql`
    SELECT rowid AS key FROM ${rows.table} WHERE ${isOf(rows, connectorKey)} AND rowid > ${after}
    ORDER BY rowid LIMIT ${ROWS_PER_BATCH}`);
  if (found.length === 0) return undefined;
  const keys = sql`SELECT value FROM json_each(${stringifyJson(found.map(({ key }) => key))})`;
  const [first, ...others] = deletions(db, rows, keys);
  const forgotten = rows.segments?.removeEmpty(
    db,
    found.map(({ key }) => key),
  );
  if (first !== undefined) {
    await storeWithReserve(db, [first, ...others, ...(forgotten === undefined ? [] : [forgotten])]);
  }
  return found.at(-1)?.key;
}

const deletions = (db: Database, { table, children = [] }: OwnedRows, keys: SQL) => [
  ...children.map((child) => db.delete(child.table).where(child.isOfOneOf(keys))),
  db.delete(table).where(sql`rowid IN (${keys})`),
];
