import { paymentWebhookConfigs, paymentWebhookDeliveries } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const WEBHOOK_ROWS: readonly OwnedRows[] = [
  { table: paymentWebhookConfigs, connectorKey: paymentWebhookConfigs.connectorKey },
  { table: paymentWebhookDeliveries, connectorKey: paymentWebhookDeliveries.connectorKey },
];
