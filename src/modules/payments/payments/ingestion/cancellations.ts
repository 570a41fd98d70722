import { storedPayments } from "./payment-reports.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { PaymentRow } from "#modules/payments/payments/draft.ts";
import { readMetadata } from "#modules/payments/payments/draft.ts";
import type { PaymentEnd, PaymentReport } from "#modules/payments/payments/report.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * Reports that payments were cancelled, without an amount. They are about stored payments that are not cancelled yet, and
 * about payments that other reports of the page are about to store.
 */
export async function cancellationsOf(
  context: ServiceContext,
  {
    connector,
    references,
    reports,
  }: {
    readonly connector: InstalledConnector;
    readonly references: readonly string[];
    readonly reports: readonly PaymentReport[];
  },
): Promise<PaymentReport[]> {
  if (references.length === 0) return [];
  const rows = await storedPayments(databaseOf(context.env), connector, references);
  const directory = await ConnectorDirectory.read(context);
  const wanted = new Set(references);
  const added = reports.filter(
    ({ reference, type }) =>
      wanted.has(reference) &&
      !rows.some((row) => row.reference === reference && row.type === type),
  );
  const open = rows.filter(({ status }) => status !== "CANCELLED");
  return [...open.map((row) => toReport(row, directory)), ...added].map((report) => ({
    ...report,
    adjustments: [
      {
        reference: report.reference,
        createdAt: context.clock(),
        status: "CANCELLED",
        metadata: {},
        raw: "{}",
      },
    ],
  }));
}

function toReport(row: PaymentRow, directory: ConnectorDirectory): PaymentReport {
  const source = endOf(row.sourceAccount, directory);
  const destination = endOf(row.destinationAccount, directory);
  return {
    reference: row.reference,
    type: row.type,
    createdAt: row.createdAt,
    scheme: row.scheme,
    asset: row.asset,
    initialAmount: BigInt(row.initialAmount),
    amount: BigInt(row.amount),
    setsAmounts: false,
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
    metadata: readMetadata(row.metadata),
    adjustments: [],
  };
}

function endOf(key: string | null, directory: ConnectorDirectory): PaymentEnd | undefined {
  const id = key === null ? undefined : directory.accountIdOf(key);
  return key === null || id === undefined ? undefined : { id, key };
}
