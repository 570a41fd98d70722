import { paymentForwardedUsers, paymentLinkAttempts, paymentUserConnections } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const USER_ROWS: readonly OwnedRows[] = [
  { table: paymentLinkAttempts, connectorKey: paymentLinkAttempts.connectorKey },
  { table: paymentUserConnections, connectorKey: paymentUserConnections.connectorKey },
  { table: paymentForwardedUsers, connectorKey: paymentForwardedUsers.connectorKey },
];
