import { and, asc, eq } from "drizzle-orm";
import type { TradeOrder, OrderAdjustment, OrderWithAdjustments } from "./order.ts";
import { paymentOrderAdjustments, paymentOrders } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";

type OrderRow = typeof paymentOrders.$inferSelect;
type AdjustmentRow = typeof paymentOrderAdjustments.$inferSelect;

/** An order with all its adjustments, oldest first. Throws `NOT_FOUND`. */
export async function getOrder(
  context: { readonly env: Env },
  id: OwnedId,
): Promise<OrderWithAdjustments> {
  const db = databaseOf(context.env);
  const connector = (await ConnectorDirectory.read(context)).byId(id.connector);
  const [row] =
    connector === undefined
      ? []
      : await db
          .select()
          .from(paymentOrders)
          .where(
            and(
              eq(paymentOrders.reference, id.reference),
              eq(paymentOrders.connectorKey, connector.key),
            ),
          );
  if (row === undefined) throw new AppError("NOT_FOUND", "cannot get order: not found");
  const adjustments = await db
    .select()
    .from(paymentOrderAdjustments)
    .where(eq(paymentOrderAdjustments.orderKey, row.key))
    .orderBy(asc(paymentOrderAdjustments.createdAt), asc(paymentOrderAdjustments.ordinal));
  return {
    ...toOrder(row, id.connector),
    adjustments: adjustments.map((adjustment) => toAdjustment(adjustment, id)),
  };
}

export function toOrder(row: OrderRow, connector: ConnectorId): TradeOrder {
  const accountOf = (reference: string | null): OwnedId | undefined =>
    reference === null ? undefined : { connector, reference };
  return {
    key: row.key,
    id: { connector, reference: row.reference },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    direction: row.direction,
    sourceAsset: row.sourceAsset,
    destinationAsset: row.destinationAsset,
    type: row.type,
    status: row.status,
    baseQuantityOrdered: BigInt(row.baseQuantityOrdered),
    timeInForce: row.timeInForce,
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    ...given({
      clientOrderId: row.clientOrderId,
      baseQuantityFilled: toAmount(row.baseQuantityFilled),
      limitPrice: toAmount(row.limitPrice),
      stopPrice: toAmount(row.stopPrice),
      expiresAt: row.expiresAt,
      quoteAmount: toAmount(row.quoteAmount),
      quoteAsset: row.quoteAsset,
      fee: toAmount(row.fee),
      feeAsset: row.feeAsset,
      averageFillPrice: toAmount(row.averageFillPrice),
      priceAsset: row.priceAsset,
      sourceAccount: accountOf(row.sourceReference),
      destinationAccount: accountOf(row.destinationReference),
    }),
  };
}

const toAdjustment = (row: AdjustmentRow, order: OwnedId): OrderAdjustment => ({
  order,
  reference: row.reference,
  createdAt: row.createdAt,
  status: row.status,
  metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
  raw: row.raw,
  ...given({
    baseQuantityFilled: toAmount(row.baseQuantityFilled),
    fee: toAmount(row.fee),
    feeAsset: row.feeAsset,
  }),
});

const toAmount = (digits: string | null): bigint | undefined =>
  digits === null ? undefined : BigInt(digits);
