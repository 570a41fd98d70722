import { cancellationsOf } from "./cancellations.ts";
import { prepareDeletions } from "./payment-deletions.ts";
import { prepareReports } from "./payment-reports.ts";
import { noteReportedPayments } from "./shown-movements.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  paymentProblem,
  type ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import { fetchedKind } from "#modules/payments/ingestion/fetched-kind.ts";
import { joinPrepared, type PreparedPage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { ownEnd, type PaymentReport } from "#modules/payments/payments/report.ts";
import type { ServiceContext } from "#platform/context.ts";

export interface PaymentsPage {
  readonly connector: InstalledConnector;
  readonly payments: readonly ProviderPayment[];
  /** References of payments that the provider has withdrawn. They are deleted, even if the page reports states of them. */
  readonly deleted?: readonly string[];
  /** References of payments that the provider has cancelled without further details. */
  readonly cancelled?: readonly string[];
}

export const FETCHED_PAYMENTS = fetchedKind({
  operation: "fetchPayments",
  problemOf: paymentProblem,
  hasOwner: true,
  prepare: async (context, { connector, page: { items: payments, deleted = [] } }) =>
    joinPrepared(
      await preparePayments(context, { connector, payments }),
      await prepareDeletions(context, { connector, references: deleted }),
    ),
});

/**
 * Prepares states of payments for storage. Each state becomes an adjustment of its payment, and creates the payment if it
 * is the first one. A known adjustment changes nothing. Throws `ConnectorError` for an invalid state.
 */
export async function preparePayments(
  context: ServiceContext,
  { connector, payments, deleted = [], cancelled = [] }: PaymentsPage,
): Promise<PreparedPage> {
  for (const payment of payments) {
    const problem = paymentProblem(payment);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  const withdrawn = new Set(deleted);
  const stated = parentsFirst(payments)
    .map((payment) => toReport(connector, payment))
    .filter(({ reference }) => !withdrawn.has(reference));
  const reports = [
    ...stated,
    ...(await cancellationsOf(context, {
      connector,
      references: cancelled.filter((reference) => !withdrawn.has(reference)),
      reports: stated,
    })),
  ];
  const { fresh, ...prepared } = await prepareReports(context, { connector, reports });
  const shown = noteReportedPayments(context, connector, fresh);
  return joinPrepared(
    prepared,
    { statements: shown, events: [] },
    await prepareDeletions(context, { connector, references: deleted }),
  );
}

/**
 * The states in their order, but each after the state that opens its payment. Of two states of one second, the one that is
 * stored later decides, and a provider may list a refund before the payment that it refunds.
 */
const parentsFirst = (payments: readonly ProviderPayment[]): readonly ProviderPayment[] => {
  const isLater = ({ reference, parentReference }: ProviderPayment): boolean =>
    parentReference !== undefined && parentReference !== reference;
  return [
    ...payments.filter((payment) => !isLater(payment)),
    ...payments.filter((payment) => isLater(payment)),
  ];
};

/** Turns a state into a report. An authorisation moves no money: the amount of its payment is the sum of its captures. */
function toReport(connector: InstalledConnector, payment: ProviderPayment): PaymentReport {
  const { reference, parentReference, sourceReference, destinationReference, ...state } = payment;
  const { createdAt, status, amount, asset, metadata, raw } = payment;
  return {
    ...state,
    reference: parentReference ?? reference,
    initialAmount: amount,
    amount: status === "AUTHORISATION" ? 0n : amount,
    setsAmounts: false,
    ...(sourceReference === undefined ? {} : { source: ownEnd(connector, sourceReference) }),
    ...(destinationReference === undefined
      ? {}
      : { destination: ownEnd(connector, destinationReference) }),
    adjustments: [{ reference, createdAt, status, amount, asset, metadata, raw }],
  };
}
