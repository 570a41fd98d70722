import { sql } from "drizzle-orm";
import { savedConversionEvent } from "./event-types.ts";
import { paymentConversions } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  conversionProblem,
  type ProviderConversion,
} from "#modules/payments/connectors/provider-orders.ts";
import type { ConversionStatus } from "#modules/payments/core/enums.ts";
import { accountHash, signatureOf } from "#modules/payments/core/signature.ts";
import { applyReport, type TradeState } from "#modules/payments/core/trade-state.ts";
import { installedKey, type PreparedPage } from "#modules/payments/ingest.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ObjectMetadata } from "#modules/payments/metadata.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER, rowItems } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface ConversionPage {
  readonly connector: InstalledConnector;
  readonly conversions: readonly ProviderConversion[];
}

type State = TradeState<ConversionStatus>;

/** What a page makes of one conversion: the newest report, and those that tell of a new status. */
interface Draft {
  readonly state: State;
  readonly newest: ProviderConversion | undefined;
  readonly told: readonly ProviderConversion[];
}

/** Prepares conversions to be stored. Reports that are older than what is stored change nothing. Throws `ConnectorError` for a bad one. */
export async function prepareConversions(
  { env, clock }: ServiceContext,
  { connector, conversions }: ConversionPage,
): Promise<PreparedPage> {
  for (const conversion of conversions) {
    const problem = conversionProblem(conversion);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  if (conversions.length === 0) return { statements: [], events: [] };
  const db = databaseOf(env);
  const known = await readKnown(db, connector, conversions);
  const drafts = [...Map.groupBy(conversions, ({ reference }) => reference)].flatMap(
    ([reference, reports]) => toDraft(known.get(reference), reports),
  );
  const rows = drafts.flatMap(({ newest, state }) =>
    newest === undefined ? [] : [toRow(newest, state)],
  );
  const now = clock();
  return {
    statements: rows.length === 0 ? [] : [upsert(db, connector, rows)],
    events: drafts.flatMap(({ told }) =>
      told.map((conversion) => ({ event: savedConversionEvent(connector.id, conversion, now) })),
    ),
  };
}

function toDraft(known: State | undefined, reports: readonly ProviderConversion[]): Draft[] {
  const told: ProviderConversion[] = [];
  let state = known;
  let newest: ProviderConversion | undefined;
  for (const report of reports) {
    const before = state;
    const applied = applyReport(state, { ...report, isKnown: false });
    if (applied.isLate) continue;
    state = applied.state;
    if (before?.updatedAt === state.updatedAt && before.status === state.status) continue;
    newest = report;
    if (before?.status !== state.status) told.push(report);
  }
  return state === undefined ? [] : [{ state, newest, told }];
}

async function readKnown(
  db: Database,
  { key }: InstalledConnector,
  conversions: readonly ProviderConversion[],
): Promise<Map<string, State>> {
  const references = [...new Set(conversions.map(({ reference }) => reference))];
  const rows = await db.all<{
    reference: string;
    updatedAt: Timestamp;
    status: ConversionStatus;
    metadata: string;
  }>(sql`
    SELECT c.reference, c.updated_at AS updatedAt, c.status, c.metadata
    FROM ${jsonRows(references.map((it) => [it]))} AS r
    CROSS JOIN ${paymentConversions} AS c ON c.reference = r.item ->> 0 AND c.connector_key = ${key}`);
  return new Map(
    rows.map(({ reference, metadata, ...row }) => [
      reference,
      { ...row, metadata: parseJson(metadata) as ObjectMetadata }, // only this module writes the column
    ]),
  );
}

/** A report that has become older meanwhile changes nothing. */
const upsert = (
  db: Database,
  connector: InstalledConnector,
  rows: readonly (readonly unknown[])[],
) =>
  db
    .insert(paymentConversions)
    .select(sql`
      SELECT NULL, ${installedKey(connector)}, ${rowItems(17)}
      FROM ${jsonRows(rows)} AS r WHERE true ORDER BY ${ROW_ORDER}`)
    .onConflictDoUpdate({
      target: [paymentConversions.reference, paymentConversions.connectorKey],
      set: {
        updatedAt: sql`excluded.updated_at`,
        sourceAmount: sql`excluded.source_amount`,
        destinationAmount: sql`excluded.destination_amount`,
        fee: sql`excluded.fee`,
        feeAsset: sql`excluded.fee_asset`,
        status: sql`excluded.status`,
        sourceReference: sql`excluded.source_reference`,
        destinationReference: sql`excluded.destination_reference`,
        sourceHash: sql`excluded.source_hash`,
        destinationHash: sql`excluded.destination_hash`,
        metadata: sql`excluded.metadata`,
        metadataBits: sql`excluded.metadata_bits`,
        raw: sql`excluded.raw`,
      },
      setWhere: sql`${paymentConversions.updatedAt} <= excluded.updated_at`,
    });

/** In the order of the table's columns. */
const toRow = (conversion: ProviderConversion, state: State): unknown[] => [
  conversion.reference,
  conversion.createdAt,
  state.updatedAt,
  conversion.sourceAsset,
  conversion.destinationAsset,
  conversion.sourceAmount.toString(),
  conversion.destinationAmount?.toString() ?? null,
  conversion.fee?.toString() ?? null,
  conversion.feeAsset ?? null,
  state.status,
  conversion.sourceReference ?? null,
  conversion.destinationReference ?? null,
  accountHash(conversion.sourceReference),
  accountHash(conversion.destinationReference),
  stringifyJson(state.metadata),
  signatureOf(state.metadata),
  conversion.raw,
];
