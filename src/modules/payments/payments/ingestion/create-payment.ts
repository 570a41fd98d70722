import { prepareReports } from "./payment-reports.ts";
import { toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { requirePast } from "#modules/payments/common/not-future.ts";
import { type ConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { requireCreation } from "#modules/payments/installs/capabilities.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { getPayment } from "#modules/payments/payments/get.ts";
import type { PaymentWithAdjustments } from "#modules/payments/payments/payment.ts";
import type { PaymentReport } from "#modules/payments/payments/report.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A payment as a client describes it. Its accounts need not exist. */
export interface NewPayment extends Omit<PaymentReport, "source" | "destination"> {
  readonly connector: ConnectorId;
  readonly source?: OwnedId;
  readonly destination?: OwnedId;
}

/**
 * Stores a payment of a client and returns it. A stored payment gets the adjustments that are new. Throws
 * `CONNECTOR_CAPABILITY_NOT_SUPPORTED`, and `VALIDATION` if the connector is not installed.
 */
export async function createPayment(
  context: ServiceContext,
  { connector: id, source, destination, ...payment }: NewPayment,
): Promise<PaymentWithAdjustments> {
  requireCreation(id, {
    capability: "ALLOW_FORMANCE_PAYMENT_CREATION",
    name: "CreateFormancePayment",
  });
  requirePast(context, "createdAt", payment.createdAt);
  toMetadataColumn(payment.metadata);
  for (const [place, { createdAt, metadata }] of payment.adjustments.entries()) {
    requirePast(context, `adjustments.${place}.createdAt`, createdAt);
    toMetadataColumn(metadata);
  }
  const { reference, type } = payment;
  await storePage(
    context,
    async () => {
      const connector = await requireConnector(context, id);
      const directory = await ConnectorDirectory.read(context);
      const endOf = (account: OwnedId) => ({
        id: encodeOwnedId(account),
        key: directory.accountKeyOf(account),
      });
      const report: PaymentReport = {
        ...payment,
        ...(source === undefined ? {} : { source: endOf(source) }),
        ...(destination === undefined ? {} : { destination: endOf(destination) }),
      };
      return prepareReports(context, { connector, reports: [report] });
    },
    new AuditedChange(context, {
      action: "payments.payment.create",
      object: `connectors/${id.reference}/payments/${type}/${reference}`,
    }),
  );
  return getPayment(context, { connector: id, reference, type });
}
