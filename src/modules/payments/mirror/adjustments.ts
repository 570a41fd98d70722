import { and, asc, eq, gt, inArray, lte, max, type SQL, sql } from "drizzle-orm";
import { afterAdjustment, netOf, NOTHING_MOVED } from "#modules/payments/core/booking-effect.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  encodePaymentAdjustmentId,
  encodePaymentId,
} from "#modules/payments/core/ids.ts";
import type { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** An adjustment of a payment, with everything that a booking needs. */
export interface AdjustmentToBook {
  readonly key: number;
  readonly ids: {
    readonly payment: string;
    readonly adjustment: string;
    readonly connector: string;
  };
  readonly payment: {
    readonly connector: ConnectorId;
    readonly reference: string;
    readonly type: PaymentType;
    readonly scheme: PaymentScheme;
    readonly sourceAccount?: string;
    readonly destinationAccount?: string;
  };
  /** The provider's id of the adjustment. */
  readonly reference: string;
  readonly status: PaymentStatus;
  readonly asset: string;
  readonly createdAt: Timestamp;
  /** The amount that moves from the source to the destination; negative for money that goes back. */
  readonly moved: bigint;
  /** The key of the first adjustment of the payment that has moved money; undefined while none has. */
  readonly firstMoved: number | undefined;
  /** The number of triggers that, one after the other, led to its payment. */
  readonly causationDepth: number;
}

/** Adjustments in the order in which they were stored, and the position up to which they were searched. */
export interface AdjustmentPart {
  readonly adjustments: readonly AdjustmentToBook[];
  readonly position: number;
  readonly isLast: boolean;
}

/** Most adjustments that are searched for one part. Adjustments of other payments lie between. */
const SEARCHED_MAX = 500;

/** The next adjustments of a booking after a position. */
export async function readAdjustments(
  db: Database,
  search: {
    /** The condition on the payments that are booked. */
    readonly payments: SQL;
    readonly position: number;
    readonly directory: ConnectorDirectory;
    /** Most adjustments that are searched; by default, and at most, `SEARCHED_MAX`. */
    readonly searchedMax?: number;
  },
): Promise<AdjustmentPart> {
  const { payments, position, directory, searchedMax = SEARCHED_MAX } = search;
  const end = await endOfPart(db, position, Math.min(searchedMax, SEARCHED_MAX));
  if (end === undefined) return { adjustments: [], position, isLast: true };
  const rows = await db
    .select(COLUMNS)
    .from(paymentAdjustments)
    .innerJoin(paymentPayments, eq(paymentPayments.key, paymentAdjustments.paymentKey))
    .where(
      and(
        gt(paymentAdjustments.key, position),
        lte(paymentAdjustments.key, end.position),
        payments,
      ),
    )
    .orderBy(asc(paymentAdjustments.key));
  const moved = await movedBy(db, rows);
  const adjustments = rows.flatMap((row) => {
    const connector = directory.byKey(row.connectorKey);
    // The connector has been uninstalled, and its payments are deleted soon.
    if (connector === undefined) return [];
    return [toAdjustment(row, { connector: connector.id, ...(moved.get(row.key) ?? NOT_MOVED) })];
  });
  return { adjustments, ...end };
}

const COLUMNS = {
  key: paymentAdjustments.key,
  paymentKey: paymentAdjustments.paymentKey,
  adjustmentReference: paymentAdjustments.reference,
  status: paymentAdjustments.status,
  adjustmentAsset: paymentAdjustments.asset,
  createdAt: paymentAdjustments.createdAt,
  connectorKey: paymentPayments.connectorKey,
  reference: paymentPayments.reference,
  type: paymentPayments.type,
  scheme: paymentPayments.scheme,
  asset: paymentPayments.asset,
  sourceAccount: paymentPayments.sourceAccount,
  destinationAccount: paymentPayments.destinationAccount,
  causationDepth: paymentPayments.causationDepth,
};

interface AdjustmentRow {
  readonly key: number;
  readonly paymentKey: number;
  readonly adjustmentReference: string;
  readonly status: PaymentStatus;
  readonly adjustmentAsset: string | null;
  readonly createdAt: Timestamp;
  readonly connectorKey: number;
  readonly reference: string;
  readonly type: PaymentType;
  readonly scheme: PaymentScheme;
  readonly asset: string;
  readonly sourceAccount: string | null;
  readonly destinationAccount: string | null;
  readonly causationDepth: number;
}

/** The end of the next part; undefined if no adjustment follows. */
async function endOfPart(
  db: Database,
  position: number,
  searchedMax: number,
): Promise<{ position: number; isLast: boolean } | undefined> {
  const next = db
    .select({ key: paymentAdjustments.key })
    .from(paymentAdjustments)
    .where(gt(paymentAdjustments.key, position))
    .orderBy(asc(paymentAdjustments.key))
    .limit(searchedMax)
    .as("next");
  const [row] = await db.select({ last: max(next.key), count: sql<number>`count(*)` }).from(next);
  if (row === undefined || row.last === null) return undefined;
  return { position: row.last, isLast: row.count < searchedMax };
}

/** What an adjustment moves, and the first adjustment of its payment that has moved anything. */
type Moved = Pick<AdjustmentToBook, "moved" | "firstMoved">;

const NOT_MOVED: Moved = { moved: 0n, firstMoved: undefined };

/** What adjustments move, by their keys. Each amount depends on all earlier adjustments of the same payment. */
async function movedBy(
  db: Database,
  rows: readonly AdjustmentRow[],
): Promise<ReadonlyMap<number, Moved>> {
  const last = rows.at(-1);
  if (last === undefined) return new Map();
  const paymentKeys = stringifyJson([...new Set(rows.map(({ paymentKey }) => paymentKey))]);
  const history = await db
    .select({
      key: paymentAdjustments.key,
      paymentKey: paymentAdjustments.paymentKey,
      status: paymentAdjustments.status,
      amount: paymentAdjustments.amount,
    })
    .from(paymentAdjustments)
    .where(
      and(
        inArray(paymentAdjustments.paymentKey, sql`(SELECT value FROM json_each(${paymentKeys}))`),
        lte(paymentAdjustments.key, last.key),
      ),
    )
    .orderBy(asc(paymentAdjustments.key));
  const moved = new Map<number, Moved>();
  for (const adjustments of Map.groupBy(history, ({ paymentKey }) => paymentKey).values()) {
    let money = NOTHING_MOVED;
    let firstMoved: number | undefined;
    for (const { key, status, amount } of adjustments) {
      const before = netOf(money);
      money = afterAdjustment(money, {
        status,
        amount: amount === null ? undefined : BigInt(amount),
      });
      const change = netOf(money) - before;
      if (change !== 0n) firstMoved ??= key;
      moved.set(key, { moved: change, firstMoved });
    }
  }
  return moved;
}

function toAdjustment(
  row: AdjustmentRow,
  { connector, ...moved }: Moved & { readonly connector: ConnectorId },
): AdjustmentToBook {
  const { reference, type, createdAt, status, sourceAccount, destinationAccount } = row;
  const payment = { connector, reference, type };
  return {
    key: row.key,
    causationDepth: row.causationDepth,
    ids: {
      payment: encodePaymentId(payment),
      connector: encodeConnectorId(connector),
      adjustment: encodePaymentAdjustmentId({
        payment,
        reference: row.adjustmentReference,
        createdAt,
        status,
      }),
    },
    payment: {
      ...payment,
      scheme: row.scheme,
      ...(sourceAccount === null ? {} : { sourceAccount }),
      ...(destinationAccount === null ? {} : { destinationAccount }),
    },
    reference: row.adjustmentReference,
    status,
    asset: row.adjustmentAsset ?? row.asset,
    createdAt,
    ...moved,
  };
}

/** Most adjustments that one count reads. */
export const COUNTED_MAX = 1000;

/**
 * Counts the adjustments of certain payments among the next `COUNTED_MAX` after a position. If `COUNTED_MAX` adjustments
 * follow, the count is at least 1, so that 0 means that no adjustment is left.
 */
export async function countAfter(
  db: Database,
  { payments, position }: { readonly payments: SQL; readonly position: number },
): Promise<number> {
  const next = db
    .select({ paymentKey: paymentAdjustments.paymentKey })
    .from(paymentAdjustments)
    .where(gt(paymentAdjustments.key, position))
    .orderBy(asc(paymentAdjustments.key))
    .limit(COUNTED_MAX)
    .as("next");
  const [row] = await db
    .select({
      all: sql<number>`count(*)`,
      own: sql<number>`coalesce(sum(${payments}), 0)`,
    })
    .from(next)
    .innerJoin(paymentPayments, eq(paymentPayments.key, next.paymentKey));
  const { all, own } = row ?? { all: 0, own: 0 };
  return all < COUNTED_MAX ? own : Math.max(own, 1);
}
