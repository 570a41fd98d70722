import { type SQL, sql } from "drizzle-orm";
import { ORDER_BLOOM_INDEX, termsOfOrder } from "./bloom-index.ts";
import { savedOrderEvent } from "./event-types.ts";
import { paymentOrderAdjustments, paymentOrders } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { orderProblem, type ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import type { OrderStatus } from "#modules/payments/core/enums.ts";
import { canonicalJson } from "#modules/payments/core/ids.ts";
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

export interface OrderPage {
  readonly connector: InstalledConnector;
  readonly orders: readonly ProviderOrder[];
}

export const FETCHED_ORDERS = fetchedKind({
  operation: "fetchOrders",
  prepare: (context, { connector, page }) =>
    prepareOrders(context, { connector, orders: page.items }),
});

type State = TradeState<OrderStatus>;

interface KnownOrder {
  readonly key: number;
  readonly state: State;
  /** The number of its stored states, and the identities of those that the page reports again. */
  readonly count: number;
  readonly identities: ReadonlySet<string>;
}

/** The change of one order by a page. */
interface Draft {
  readonly known: KnownOrder | undefined;
  readonly state: State;
  /** The newest report, from which the fields are taken; undefined if all reports are late. */
  readonly newest: ProviderOrder | undefined;
  readonly added: readonly ProviderOrder[];
}

/** Prepares orders for storage: each new state becomes an adjustment. Throws `ConnectorError` for an invalid order. */
export async function prepareOrders(
  { env, clock }: ServiceContext,
  { connector, orders }: OrderPage,
): Promise<PreparedPage> {
  for (const order of orders) {
    const problem = orderProblem(order);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  if (orders.length === 0) return { statements: [], events: [] };
  const db = databaseOf(env);
  const known = await readKnown(db, connector, orders);
  const drafts = [...Map.groupBy(orders, ({ reference }) => reference)].map(
    ([reference, reports]) => toDraft(known.get(reference), reports),
  );
  const now = clock();
  return {
    statements: toStatements(db, connector, drafts),
    events: drafts.flatMap(({ added }) =>
      added.map((order) => ({ event: savedOrderEvent(connector.id, order, now) })),
    ),
  };
}

function toDraft(known: KnownOrder | undefined, reports: readonly ProviderOrder[]): Draft {
  const identities = new Set(known?.identities);
  const added: ProviderOrder[] = [];
  let state = known?.state;
  let newest: ProviderOrder | undefined;
  for (const report of reports) {
    const identity = identityOf(report);
    const isKnown = identities.has(identity);
    const applied = applyReport(state, { ...report, isKnown });
    state = applied.state;
    if (!applied.isLate) newest = report;
    if (isKnown) continue;
    identities.add(identity);
    added.push(report);
  }
  if (state === undefined) throw new Error("a group of reports has at least one report");
  return { known, state, newest, added };
}

/** Identifies a state among those of its order. */
const identityOf = ({
  reference,
  status,
  baseQuantityFilled,
  fee,
  feeAsset,
}: ProviderOrder): string =>
  canonicalJson([reference, status, baseQuantityFilled ?? null, fee ?? null, feeAsset ?? null]);

async function readKnown(
  db: Database,
  { key }: InstalledConnector,
  orders: readonly ProviderOrder[],
): Promise<Map<string, KnownOrder>> {
  const references = [...new Set(orders.map(({ reference }) => reference))];
  const wanted = jsonRows(references.map((reference) => ({ reference })));
  const rows = await db.all<{
    key: number;
    reference: string;
    updatedAt: Timestamp;
    status: OrderStatus;
    metadata: string;
    count: number;
  }>(sql`
    SELECT o.key, o.reference, o.updated_at AS updatedAt, o.status, o.metadata,
      (SELECT max(a.ordinal) + 1 FROM ${paymentOrderAdjustments} AS a WHERE a.order_key = o.key) AS count
    FROM ${wanted.source}
    CROSS JOIN ${paymentOrders} AS o ON o.reference = ${wanted.items.reference} AND o.connector_key = ${key}`);
  const keys = new Map(rows.map((row) => [row.reference, row.key]));
  const asked = orders.flatMap((order) => {
    const orderKey = keys.get(order.reference);
    return orderKey === undefined ? [] : [{ orderKey, identity: identityOf(order) }];
  });
  const { source, items } = jsonRows(asked);
  const stored =
    asked.length === 0
      ? []
      : await db.all<{ orderKey: number; identity: string }>(sql`
          SELECT a.order_key AS orderKey, a.identity FROM ${source}
          CROSS JOIN ${paymentOrderAdjustments} AS a
            ON a.order_key = ${items.orderKey} AND a.identity = ${items.identity}`);
  const identities = Map.groupBy(stored, ({ orderKey }) => orderKey);
  return new Map(
    rows.map(({ reference, metadata, updatedAt, status, ...row }) => [
      reference,
      {
        ...row,
        // Only this module writes the column.
        state: { updatedAt, status, metadata: parseJson(metadata) as ObjectMetadata },
        identities: new Set((identities.get(row.key) ?? []).map(({ identity }) => identity)),
      },
    ]),
  );
}

function toStatements(
  db: Database,
  connector: InstalledConnector,
  drafts: readonly Draft[],
): PreparedPage["statements"] {
  const opened = drafts.flatMap(({ known, state, newest }) =>
    known === undefined && newest !== undefined ? [{ state, newest }] : [],
  );
  const changed = drafts.flatMap(({ known, state, newest, added }) =>
    known === undefined || (added.length === 0 && isSame(known.state, state))
      ? []
      : [{ key: known.key, state, newest }],
  );
  const added = drafts.flatMap((draft) => draft.added.map((it, at) => toAdjustment(draft, it, at)));
  return [
    ...(opened.length === 0 ? [] : insertOrders(db, connector, opened)),
    ...(changed.length === 0 ? [] : updateOrders(db, connector, changed)),
    ...(added.length === 0 ? [] : [insertAdjustments(db, connector, added)]),
  ];
}

function insertAdjustments(
  db: Database,
  connector: InstalledConnector,
  added: readonly ReturnType<typeof toAdjustment>[],
) {
  const { source, items } = jsonRows(added);
  return db.insert(paymentOrderAdjustments).select(sql`
    SELECT ${columnValues(paymentOrderAdjustments, {
      ...items,
      key: null,
      orderKey: sql`(SELECT o.key FROM ${paymentOrders} AS o
        WHERE o.reference = ${items.orderReference} AND o.connector_key = ${connector.key})`,
    })}
    FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`);
}

interface Opened {
  readonly state: State;
  readonly newest: ProviderOrder;
}

const insertOrders = (db: Database, connector: InstalledConnector, opened: readonly Opened[]) => {
  const { source, items } = jsonRows(opened.map(toRow));
  return [
    db.insert(paymentOrders).select(sql`
      SELECT ${columnValues(paymentOrders, { ...items, key: null, connectorKey: installedKey(connector) })}
      FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`),
    ORDER_BLOOM_INDEX.addInserted(
      db,
      opened.map(({ state, newest }) => termsOfOrder(connector, state, newest)),
    ),
  ];
};

const isSame = (a: State, b: State): boolean =>
  a.updatedAt === b.updatedAt &&
  a.status === b.status &&
  canonicalJson(a.metadata) === canonicalJson(b.metadata);

interface Changed {
  readonly key: number;
  readonly state: State;
  readonly newest: ProviderOrder | undefined;
}

/** Fields that no report of the page has said anything newer of stay as they are. */
const updateOrders = (db: Database, connector: InstalledConnector, changed: readonly Changed[]) => {
  const { source, items } = jsonRows(changed.map(toChange));
  const newest = (name: keyof ReturnType<typeof toNewest>): SQL =>
    sql`CASE WHEN ${items.hasNewest} THEN ${items[name]} ELSE ${paymentOrders[name]} END`;
  return [
    ORDER_BLOOM_INDEX.addChanged(
      db,
      changed.map((it) => ({ key: it.key, terms: termsOfOrder(connector, it.state, it.newest) })),
    ),
    db
      .update(paymentOrders)
      .set({
        updatedAt: items.updatedAt,
        status: items.status,
        metadata: items.metadata,
        metadataBits: items.metadataBits,
        baseQuantityFilled: newest("baseQuantityFilled"),
        stopPrice: newest("stopPrice"),
        expiresAt: newest("expiresAt"),
        quoteAmount: newest("quoteAmount"),
        quoteAsset: newest("quoteAsset"),
        fee: newest("fee"),
        feeAsset: newest("feeAsset"),
        averageFillPrice: newest("averageFillPrice"),
        priceAsset: newest("priceAsset"),
        sourceReference: newest("sourceReference"),
        destinationReference: newest("destinationReference"),
      })
      .from(source)
      .where(
        sql`${paymentOrders.key} = ${items.key} AND ${paymentOrders.updatedAt} <= ${items.updatedAt}`,
      ),
  ];
};

const toChange = ({ key, state, newest }: Changed) => ({
  key,
  ...toState(state),
  hasNewest: newest === undefined ? 0 : 1,
  ...toNewest(newest),
});

const toRow = ({ newest: order, state }: Opened) => ({
  ...toState(state),
  ...toNewest(order),
  reference: order.reference,
  clientOrderId: order.clientOrderId ?? null,
  createdAt: order.createdAt,
  direction: order.direction,
  sourceAsset: order.sourceAsset,
  destinationAsset: order.destinationAsset,
  type: order.type,
  baseQuantityOrdered: digits(order.baseQuantityOrdered),
  limitPrice: digits(order.limitPrice),
  timeInForce: order.timeInForce,
});

const toState = ({ updatedAt, status, metadata }: State) => ({
  updatedAt,
  status,
  metadata: stringifyJson(metadata),
  metadataBits: metadataBloom(metadata),
});

/** Fields that the newest report may change; all of them are null where no report is newer. */
const toNewest = (order: ProviderOrder | undefined) => ({
  baseQuantityFilled: digits(order?.baseQuantityFilled),
  stopPrice: digits(order?.stopPrice),
  expiresAt: order?.expiresAt ?? null,
  quoteAmount: digits(order?.quoteAmount),
  quoteAsset: order?.quoteAsset ?? null,
  fee: digits(order?.fee),
  feeAsset: order?.feeAsset ?? null,
  averageFillPrice: digits(order?.averageFillPrice),
  priceAsset: order?.priceAsset ?? null,
  sourceReference: order?.sourceReference ?? null,
  destinationReference: order?.destinationReference ?? null,
});

const toAdjustment = ({ known }: Draft, order: ProviderOrder, at: number) => ({
  orderReference: order.reference,
  ordinal: (known?.count ?? 0) + at,
  identity: identityOf(order),
  reference: order.reference,
  createdAt: order.updatedAt,
  status: order.status,
  baseQuantityFilled: digits(order.baseQuantityFilled),
  fee: digits(order.fee),
  feeAsset: order.feeAsset ?? null,
  metadata: stringifyJson(order.metadata),
  raw: order.raw,
});

const digits = (amount: bigint | undefined): string | null => amount?.toString() ?? null;
