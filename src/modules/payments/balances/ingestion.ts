import { sql } from "drizzle-orm";
import { confirmationStatement, confirmedAt } from "./confirmations.ts";
import { savedBalanceEvent } from "./event-types.ts";
import { paymentBalances } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  balanceProblem,
  type ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { type HeldAmount, recordBalance } from "#modules/payments/core/balance-history.ts";
import { type Confirmation, fetchedKind } from "#modules/payments/ingestion/fetched-kind.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { isEventWanted } from "#platform/events/listeners.ts";
import type { Timestamp } from "#platform/time.ts";

export interface BalancePage {
  readonly connector: InstalledConnector;
  readonly balances: readonly ProviderBalance[];
}

export const FETCHED_BALANCES = fetchedKind({
  operation: "fetchBalances",
  problemOf: balanceProblem,
  prepare: (context, { connector, page }) =>
    prepareReports(context, { connector, balances: page.items }),
});

/** An interval that is inserted or changed. */
interface Draft extends HeldAmount {
  /** The key of the row that is changed; absent for a new row. */
  readonly key?: number;
  readonly isOpen: boolean;
  /** The report with which the interval begins; absent for a row that is stored. */
  readonly report?: ProviderBalance;
}

/** A page of balances. The caller stores the confirmations. */
export interface PreparedBalances extends PreparedPage {
  readonly confirmed: Confirmation[];
  /** Reports that are new or have changed a balance. */
  readonly count: number;
}

/**
 * Prepares balances for storage, in their order, with the rules of `recordBalance`. Throws `ConnectorError` for an invalid
 * balance.
 */
export async function prepareBalances(
  context: ServiceContext,
  page: BalancePage,
): Promise<PreparedPage> {
  const { statements, events, confirmed } = await prepareReports(context, page);
  if (confirmed.length > 0) {
    statements.push(confirmationStatement(databaseOf(context.env), confirmed));
  }
  return { statements, events };
}

/**
 * Prepares the balances of a poll, most of which only confirm stored ones. Confirmations are left to the caller, and have
 * events only if somebody consumes such events. Throws `ConnectorError` for an invalid balance.
 */
export async function prepareReports(
  context: ServiceContext,
  { connector, balances }: BalancePage,
): Promise<PreparedBalances> {
  const { env, clock } = context;
  for (const balance of balances) {
    const problem = balanceProblem(balance);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  if (balances.length === 0) return { statements: [], events: [], confirmed: [], count: 0 };
  const db = databaseOf(env);
  const open = await openIntervals(db, connector, balances);
  const saved: Saved[] = [];
  const drafts: Draft[] = [];
  for (const [pair, reports] of Map.groupBy(balances, pairOf)) {
    const changed = fold(open.get(pair), reports, (one) => saved.push(one));
    drafts.push(...changed);
  }
  const changes = saved.filter(({ kind }) => kind === "changed");
  const told =
    changes.length < saved.length && (await isEventWanted(context, CONFIRMATION_EVENT))
      ? saved
      : changes;
  const now = clock();
  return {
    statements: toStatements(db, connector, drafts),
    events: told.map(({ report: { accountReference: reference, asset }, newest }) =>
      savedBalanceEvent({ connector: connector.id, reference }, { ...newest, asset }, now),
    ),
    confirmed: drafts.flatMap(({ key, isOpen, lastUpdatedAt: at }) =>
      key === undefined || !isOpen ? [] : [{ key, at }],
    ),
    count: changes.length,
  };
}

/** The event of a confirmed balance, as its consumers name it. */
const CONFIRMATION_EVENT = { app: "payments", type: "SAVED_BALANCE" } as const;

/** A report that was not ignored. */
interface Saved {
  readonly kind: "changed" | "confirmed";
  readonly report: ProviderBalance;
  readonly newest: HeldAmount;
}

/** The rows that are changed or added by the reports of one account and asset. */
function fold(
  known: Draft | undefined,
  reports: readonly ProviderBalance[],
  onSaved: (saved: Saved) => void,
): Draft[] {
  const closed: Draft[] = [];
  let newest = known;
  for (const report of reports) {
    const change = recordBalance(newest, { amount: report.amount, at: report.createdAt });
    if (change.kind === "ignored") continue;
    if (change.kind === "changed") {
      if (newest !== undefined && change.closed !== undefined) {
        closed.push(held(newest, change.closed, false));
      }
      newest = { ...change.newest, isOpen: true, report };
    } else if (newest !== undefined) {
      newest = held(newest, change.newest, true);
    }
    onSaved({ kind: change.kind, report, newest: change.newest });
  }
  return newest === undefined || newest === known ? closed : [...closed, newest];
}

const held = (draft: Draft, amount: HeldAmount, isOpen: boolean): Draft => ({
  ...draft,
  ...amount,
  isOpen,
});

/** The statements that close and add rows. Closing comes first, because an account and asset may have only one open row. */
function toStatements(
  db: Database,
  connector: InstalledConnector,
  drafts: readonly Draft[],
): PreparedPage["statements"] {
  const closed = drafts.flatMap(({ key, lastUpdatedAt, isOpen }) =>
    key === undefined || isOpen ? [] : [{ key, lastUpdatedAt }],
  );
  const added = drafts.flatMap((draft) =>
    draft.report === undefined ? [] : [toRow(draft, draft.report)],
  );
  return [
    ...(closed.length === 0 ? [] : [closeRows(db, closed)]),
    ...(added.length === 0 ? [] : [insertRows(db, connector, added)]),
  ];
}

function closeRows(
  db: Database,
  closed: readonly Pick<typeof paymentBalances.$inferSelect, "key" | "lastUpdatedAt">[],
) {
  const { source, items } = jsonRows(closed);
  return db
    .update(paymentBalances)
    .set({ lastUpdatedAt: items.lastUpdatedAt, isOpen: false })
    .from(source)
    .where(
      sql`${paymentBalances.key} = ${items.key} AND ${paymentBalances.isOpen} = 1
        AND ${confirmedAt("payment_balances")} <= ${items.lastUpdatedAt}`,
    );
}

function insertRows(
  db: Database,
  connector: InstalledConnector,
  added: readonly ReturnType<typeof toRow>[],
) {
  const { source, items } = jsonRows(added);
  return db.insert(paymentBalances).select(sql`
    SELECT ${columnValues(paymentBalances, { ...items, key: null, connectorKey: installedKey(connector) })}
    FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`);
}

const toRow = (
  { amount, createdAt, lastUpdatedAt, isOpen }: Draft,
  { accountReference, asset, psuId, connectionId }: ProviderBalance,
) => ({
  accountReference,
  asset,
  amount: amount.toString(),
  createdAt,
  lastUpdatedAt,
  isOpen: isOpen ? 1 : 0,
  psuId: psuId ?? null,
  connectionId: connectionId ?? null,
});

/** Identifies an account and asset. The asset comes first, as it has no line break. */
const pairOf = ({ accountReference, asset }: Pick<ProviderBalance, "accountReference" | "asset">) =>
  `${asset}\n${accountReference}`;

async function openIntervals(
  db: Database,
  { key }: InstalledConnector,
  balances: readonly ProviderBalance[],
): Promise<Map<string, Draft>> {
  const pairs = [...Map.groupBy(balances, pairOf).values()].flatMap(([first]) =>
    first === undefined ? [] : [{ account: first.accountReference, asset: first.asset }],
  );
  const { source, items } = jsonRows(pairs);
  const rows = await db.all<{
    key: number;
    accountReference: string;
    asset: string;
    amount: string;
    createdAt: Timestamp;
    lastUpdatedAt: Timestamp;
  }>(sql`
    SELECT b.key, b.account_reference AS accountReference, b.asset, b.amount,
      b.created_at AS createdAt, ${confirmedAt("b")} AS lastUpdatedAt
    FROM ${source} CROSS JOIN ${paymentBalances} AS b
      ON b.connector_key = ${key} AND b.account_reference = ${items.account} AND b.asset = ${items.asset}
      AND b.is_open = 1`);
  return new Map(
    rows.map((row) => [
      pairOf(row),
      {
        key: row.key,
        amount: BigInt(row.amount),
        createdAt: row.createdAt,
        lastUpdatedAt: row.lastUpdatedAt,
        isOpen: true,
      },
    ]),
  );
}
