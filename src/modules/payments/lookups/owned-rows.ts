import { paymentLookups, paymentReviews, paymentShownMarks } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const LOOKUP_ROWS: readonly OwnedRows[] = [
  { table: paymentReviews, connectorKey: paymentReviews.connectorKey },
  { table: paymentShownMarks, connectorKey: paymentShownMarks.connectorKey },
  { table: paymentLookups, connectorKey: paymentLookups.connectorKey },
];
