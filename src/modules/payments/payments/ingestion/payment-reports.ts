import { and, eq, sql } from "drizzle-orm";
import { toStatements } from "./payment-statements.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { watchInitiations } from "#modules/payments/initiations/watch.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import {
  type KnownAdjustment,
  PaymentDraft,
  type PaymentRow,
} from "#modules/payments/payments/draft.ts";
import { savedPaymentEvent } from "#modules/payments/payments/event-types.ts";
import type { PaymentReport } from "#modules/payments/payments/report.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/**
 * Prepares payments for storage: their new adjustments, and the amounts and status that follow. The decision depends on the
 * adjustments that were read; if others were stored meanwhile, the ordinals of the new ones are taken and the batch fails.
 */
export async function prepareReports(
  context: ServiceContext,
  { connector, reports }: { connector: InstalledConnector; reports: readonly PaymentReport[] },
): Promise<PreparedReports> {
  const { env, clock, causationDepth = 0 } = context;
  const db = databaseOf(env);
  const drafts = await storedDrafts(
    db,
    connector,
    reports.map(({ reference }) => reference),
  );
  const eventContext = {
    connector: connector.id,
    date: clock(),
    publicUrl: platformSettings.of(env).FLORIN_PUBLIC_URL,
  };
  const fresh: PaymentReport[] = [];
  const events = reports.flatMap((report) => {
    const identity = identityOf(report);
    const draft = drafts.get(identity) ?? PaymentDraft.ofReport(report);
    drafts.set(identity, draft);
    const added = draft.record(report);
    if (added.length > 0) fresh.push(report);
    return added.map((adjustment) => {
      const depth = Math.max(causationDepth, draft.row?.causationDepth ?? 0);
      return savedPaymentEvent(report, adjustment, { ...eventContext, causationDepth: depth });
    });
  });
  // The adjustments may be news for initiations.
  if (events.length > 0) await watchInitiations(context);
  return {
    statements: toStatements(db, { connector, causationDepth }, [...drafts.values()]),
    events,
    fresh,
  };
}

export interface PreparedReports extends PreparedPage {
  /** The reports with new adjustments. */
  readonly fresh: readonly PaymentReport[];
}

/** Identifies a payment of a connector. The type comes first, as it has no line break. */
const identityOf = ({ type, reference }: Pick<PaymentRow, "type" | "reference">): string =>
  `${type}\n${reference}`;

/** The stored payments with certain references, by their identities. */
async function storedDrafts(
  db: Database,
  connector: InstalledConnector,
  references: readonly string[],
): Promise<Map<string, PaymentDraft>> {
  const rows = await storedPayments(db, connector, references);
  const keys = rows.map(({ key }) => key);
  const adjustments: KnownAdjustment[] =
    keys.length === 0
      ? []
      : await db
          .select({
            paymentKey: paymentAdjustments.paymentKey,
            ordinal: paymentAdjustments.ordinal,
            reference: paymentAdjustments.reference,
            createdAt: paymentAdjustments.createdAt,
            status: paymentAdjustments.status,
            amount: paymentAdjustments.amount,
          })
          .from(paymentAdjustments)
          .where(
            sql`${paymentAdjustments.paymentKey} IN (SELECT value FROM json_each(${stringifyJson(keys)}))`,
          )
          .orderBy(paymentAdjustments.paymentKey, paymentAdjustments.ordinal);
  const byPayment = Map.groupBy(adjustments, ({ paymentKey }) => paymentKey);
  return new Map(
    rows.map((row) => [identityOf(row), PaymentDraft.ofRow(row, byPayment.get(row.key) ?? [])]),
  );
}

/** The payments of a connector with certain references, of every type. */
export async function storedPayments(
  db: Database,
  { key }: InstalledConnector,
  references: readonly string[],
): Promise<PaymentRow[]> {
  if (references.length === 0) return [];
  const { source, items } = jsonRows([...new Set(references)].map((reference) => ({ reference })));
  return db
    .select()
    .from(paymentPayments)
    .where(
      and(
        sql`${paymentPayments.reference} IN (SELECT ${items.reference} FROM ${source})`,
        eq(paymentPayments.connectorKey, key),
      ),
    );
}
