import { sql } from "drizzle-orm";
import { CONVERSION_BLOOM_INDEX, termsOfConversion } from "./bloom-index.ts";
import { savedConversionEvent } from "./event-types.ts";
import { paymentConversions } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  conversionProblem,
  type ProviderConversion,
} from "#modules/payments/connectors/provider-orders.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import type { ConversionStatus } from "#modules/payments/core/enums.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";
import { applyReport, type TradeState } from "#modules/payments/core/trade-state.ts";
import { fetchedKind } from "#modules/payments/ingestion/fetched-kind.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface ConversionPage {
  readonly connector: InstalledConnector;
  readonly conversions: readonly ProviderConversion[];
}

export const FETCHED_CONVERSIONS = fetchedKind({
  operation: "fetchConversions",
  prepare: (context, { connector, page }) =>
    prepareConversions(context, { connector, conversions: page.items }),
});

type State = TradeState<ConversionStatus>;

interface KnownConversion {
  readonly key: number;
  readonly state: State;
}

/** The change of one conversion by a page: its newest report, and the reports with a new status, each of which has an event. */
interface Draft {
  /** Undefined for a new conversion. */
  readonly key: number | undefined;
  readonly state: State;
  readonly newest: ProviderConversion | undefined;
  readonly told: readonly ProviderConversion[];
}

/**
 * Prepares conversions for storage. Reports that are older than the stored state change nothing. Throws `ConnectorError`
 * for an invalid conversion.
 */
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
  const changes = drafts.flatMap(({ key, newest, state }) =>
    newest === undefined ? [] : [{ key, newest, state }],
  );
  const opened = changes.filter(({ key }) => key === undefined);
  const changed = changes.flatMap(({ key, ...it }) => (key === undefined ? [] : [{ ...it, key }]));
  const now = clock();
  return {
    statements: [
      ...(opened.length === 0 ? [] : insertConversions(db, connector, opened)),
      ...(changed.length === 0 ? [] : updateConversions(db, connector, changed)),
    ],
    events: drafts.flatMap(({ told }) =>
      told.map((conversion) => ({ event: savedConversionEvent(connector.id, conversion, now) })),
    ),
  };
}

function toDraft(
  known: KnownConversion | undefined,
  reports: readonly ProviderConversion[],
): Draft[] {
  const told: ProviderConversion[] = [];
  let state = known?.state;
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
  return state === undefined ? [] : [{ key: known?.key, state, newest, told }];
}

async function readKnown(
  db: Database,
  { key }: InstalledConnector,
  conversions: readonly ProviderConversion[],
): Promise<Map<string, KnownConversion>> {
  const references = [...new Set(conversions.map(({ reference }) => reference))];
  const { source, items } = jsonRows(references.map((reference) => ({ reference })));
  const rows = await db.all<{
    key: number;
    reference: string;
    updatedAt: Timestamp;
    status: ConversionStatus;
    metadata: string;
  }>(sql`
    SELECT c.key, c.reference, c.updated_at AS updatedAt, c.status, c.metadata
    FROM ${source}
    CROSS JOIN ${paymentConversions} AS c ON c.reference = ${items.reference} AND c.connector_key = ${key}`);
  return new Map(
    rows.map(({ key: row, reference, metadata, ...state }) => [
      reference,
      // Only this module writes the column.
      { key: row, state: { ...state, metadata: parseJson(metadata) as ObjectMetadata } },
    ]),
  );
}

interface Opened {
  readonly state: State;
  readonly newest: ProviderConversion;
}

const insertConversions = (
  db: Database,
  connector: InstalledConnector,
  opened: readonly Opened[],
) => {
  const { source, items } = jsonRows(opened.map(toRow));
  return [
    db.insert(paymentConversions).select(sql`
      SELECT ${columnValues(paymentConversions, { ...items, key: null, connectorKey: installedKey(connector) })}
      FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`),
    CONVERSION_BLOOM_INDEX.addInserted(
      db,
      opened.map(({ state, newest }) => termsOfConversion(connector, state, newest)),
    ),
  ];
};

interface Changed extends Opened {
  readonly key: number;
}

/**
 * Updates conversions. A report changes nothing if a newer one was stored meanwhile. The batch fails while the connector is
 * being uninstalled.
 */
const updateConversions = (
  db: Database,
  connector: InstalledConnector,
  changed: readonly Changed[],
) => {
  const { source, items } = jsonRows(changed.map((it) => ({ key: it.key, ...toChange(it) })));
  const { key: changedKey, ...values } = items;
  return [
    CONVERSION_BLOOM_INDEX.addChanged(
      db,
      changed.map(({ key, state, newest }) => ({
        key,
        terms: termsOfConversion(connector, state, newest),
      })),
    ),
    db
      .update(paymentConversions)
      .set({ ...values, raw: sql`iif(${installedKey(connector)} IS NULL, NULL, ${values.raw})` })
      .from(source).where(sql`${paymentConversions.key} = ${changedKey}
        AND ${paymentConversions.updatedAt} <= ${values.updatedAt}`),
  ];
};

const toRow = (opened: Opened) => ({
  ...toChange(opened),
  reference: opened.newest.reference,
  createdAt: opened.newest.createdAt,
  sourceAsset: opened.newest.sourceAsset,
  destinationAsset: opened.newest.destinationAsset,
});

const toChange = ({ newest: conversion, state }: Opened) =>
  ({
    updatedAt: state.updatedAt,
    sourceAmount: conversion.sourceAmount.toString(),
    destinationAmount: conversion.destinationAmount?.toString() ?? null,
    fee: conversion.fee?.toString() ?? null,
    feeAsset: conversion.feeAsset ?? null,
    status: state.status,
    sourceReference: conversion.sourceReference ?? null,
    destinationReference: conversion.destinationReference ?? null,
    sourceHash: accountHash(conversion.sourceReference),
    destinationHash: accountHash(conversion.destinationReference),
    metadata: stringifyJson(state.metadata),
    metadataBits: metadataBloom(state.metadata),
    raw: conversion.raw,
  }) satisfies Partial<typeof paymentConversions.$inferSelect>;
