import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PreparedPage } from "./page.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { orderProblem, type ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import type { OrderStatus } from "#modules/payments/core/enums.ts";
import { canonicalJson } from "#modules/payments/core/ids.ts";
import { signatureOf } from "#modules/payments/core/signature.ts";
import { applyReport, type TradeState } from "#modules/payments/core/trade-state.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { savedOrderEvent } from "#modules/payments/orders/event-types.ts";
import { ORDER_SEGMENTS, termsOfOrder } from "#modules/payments/orders/segments.ts";
import { paymentOrderAdjustments, paymentOrders } from "#modules/payments/orders/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER, rowItems } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface OrderPage {
  readonly connector: InstalledConnector;
  readonly orders: readonly ProviderOrder[];
}

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
    FROM ${jsonRows([...new Set(orders.map(({ reference }) => reference))].map((it) => [it]))} AS r
    CROSS JOIN ${paymentOrders} AS o ON o.reference = r.item ->> 0 AND o.connector_key = ${key}`);
  const keys = new Map(rows.map((row) => [row.reference, row.key]));
  const asked = orders.flatMap((order) => {
    const orderKey = keys.get(order.reference);
    return orderKey === undefined ? [] : [[orderKey, identityOf(order)]];
  });
  const stored =
    asked.length === 0
      ? []
      : await db.all<{ orderKey: number; identity: string }>(sql`
          SELECT a.order_key AS orderKey, a.identity FROM ${jsonRows(asked)} AS r
          CROSS JOIN ${paymentOrderAdjustments} AS a
            ON a.order_key = r.item ->> 0 AND a.identity = r.item ->> 1`);
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
    ...(added.length === 0
      ? []
      : [
          db.insert(paymentOrderAdjustments).select(sql`
            SELECT NULL,
              (SELECT o.key FROM ${paymentOrders} AS o
                WHERE o.reference = r.item ->> 0 AND o.connector_key = ${connector.key}),
              ${rowItems(10, 1)}
            FROM ${jsonRows(added)} AS r WHERE true ORDER BY ${ROW_ORDER}`),
        ]),
  ];
}

interface Opened {
  readonly state: State;
  readonly newest: ProviderOrder;
}

const insertOrders = (db: Database, connector: InstalledConnector, opened: readonly Opened[]) => [
  db.insert(paymentOrders).select(sql`
    SELECT NULL, ${installedKey(connector)}, ${rowItems(25)}
    FROM ${jsonRows(opened.map(toRow))} AS r WHERE true ORDER BY ${ROW_ORDER}`),
  ORDER_SEGMENTS.addInserted(
    db,
    opened.map(({ state, newest }) => termsOfOrder(connector, state, newest)),
  ),
];

const isSame = (a: State, b: State): boolean =>
  a.updatedAt === b.updatedAt &&
  a.status === b.status &&
  canonicalJson(a.metadata) === canonicalJson(b.metadata);

interface Changed {
  readonly key: number;
  readonly state: State;
  readonly newest: ProviderOrder | undefined;
}

/** Updates orders. If all reports of an order are late, only its state may change. */
const updateOrders = (db: Database, connector: InstalledConnector, changed: readonly Changed[]) => [
  ORDER_SEGMENTS.addTo(
    db,
    changed.map(({ key, state, newest }) => ({
      key,
      terms: termsOfOrder(connector, state, newest),
    })),
  ),
  db
    .update(paymentOrders)
    .set({
      updatedAt: itemAt(1),
      status: itemAt(2),
      metadata: itemAt(3),
      metadataBits: itemAt(4),
      baseQuantityFilled: newerAt(6, paymentOrders.baseQuantityFilled),
      stopPrice: newerAt(7, paymentOrders.stopPrice),
      expiresAt: newerAt(8, paymentOrders.expiresAt),
      quoteAmount: newerAt(9, paymentOrders.quoteAmount),
      quoteAsset: newerAt(10, paymentOrders.quoteAsset),
      fee: newerAt(11, paymentOrders.fee),
      feeAsset: newerAt(12, paymentOrders.feeAsset),
      averageFillPrice: newerAt(13, paymentOrders.averageFillPrice),
      priceAsset: newerAt(14, paymentOrders.priceAsset),
      sourceReference: newerAt(15, paymentOrders.sourceReference),
      destinationReference: newerAt(16, paymentOrders.destinationReference),
    })
    .from(sql`${jsonRows(changed.map(toChange))} AS r`)
    .where(sql`${paymentOrders.key} = r.item ->> 0 AND ${paymentOrders.updatedAt} <= r.item ->> 1`),
];

const itemAt = (place: number): SQL => rowItems(1, place);

const newerAt = (place: number, column: SQLWrapper): SQL =>
  sql`CASE WHEN r.item ->> 5 THEN ${itemAt(place)} ELSE ${column} END`;

const toChange = ({ key, state, newest }: Changed): unknown[] => [
  key,
  state.updatedAt,
  state.status,
  stringifyJson(state.metadata),
  signatureOf(state.metadata),
  newest === undefined ? 0 : 1,
  ...(newest === undefined
    ? []
    : [
        digits(newest.baseQuantityFilled),
        digits(newest.stopPrice),
        newest.expiresAt ?? null,
        ...quoteOf(newest),
      ]),
];

/** The values are in the order of the table's columns, also in `quoteOf` and `toAdjustment`. */
const toRow = ({ newest: order, state }: Opened): unknown[] => [
  order.reference,
  order.clientOrderId ?? null,
  order.createdAt,
  state.updatedAt,
  order.direction,
  order.sourceAsset,
  order.destinationAsset,
  order.type,
  state.status,
  digits(order.baseQuantityOrdered),
  digits(order.baseQuantityFilled),
  digits(order.limitPrice),
  digits(order.stopPrice),
  order.timeInForce,
  order.expiresAt ?? null,
  ...quoteOf(order),
  stringifyJson(state.metadata),
  signatureOf(state.metadata),
];

const quoteOf = (order: ProviderOrder): unknown[] => [
  digits(order.quoteAmount),
  order.quoteAsset ?? null,
  digits(order.fee),
  order.feeAsset ?? null,
  digits(order.averageFillPrice),
  order.priceAsset ?? null,
  order.sourceReference ?? null,
  order.destinationReference ?? null,
];

const toAdjustment = ({ known }: Draft, order: ProviderOrder, at: number): unknown[] => [
  order.reference,
  (known?.count ?? 0) + at,
  identityOf(order),
  order.reference,
  order.updatedAt,
  order.status,
  digits(order.baseQuantityFilled),
  digits(order.fee),
  order.feeAsset ?? null,
  stringifyJson(order.metadata),
  order.raw,
];

const digits = (amount: bigint | undefined): string | null => amount?.toString() ?? null;
