import { isAdjustmentOfOneOf } from "./adjustment-keys.ts";
import {
  paymentInitiationAdjustments,
  paymentInitiationPayments,
  paymentInitiations,
  paymentMovements,
  paymentReversalAdjustments,
  paymentReversals,
} from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

/** Movements and reversals are deleted before the initiations to which they belong. */
export const INITIATION_ROWS: readonly OwnedRows[] = [
  { table: paymentMovements, connectorKey: paymentMovements.connectorKey },
  {
    table: paymentReversals,
    connectorKey: paymentReversals.connectorKey,
    children: [childRows(paymentReversalAdjustments, paymentReversalAdjustments.reversalKey)],
  },
  {
    table: paymentInitiations,
    connectorKey: paymentInitiations.connectorKey,
    children: [
      { table: paymentInitiationAdjustments, isOfOneOf: isAdjustmentOfOneOf },
      childRows(paymentInitiationPayments, paymentInitiationPayments.initiationKey),
    ],
  },
];
