import { sql } from "drizzle-orm";
import { savedBalanceEvent } from "./event-types.ts";
import { paymentBalances } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  balanceProblem,
  type ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { type HeldAmount, recordBalance } from "#modules/payments/core/balance-history.ts";
import { installedKey, type PreparedPage } from "#modules/payments/ingest.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER, rowItems } from "#platform/db/json-rows.ts";
import type { Timestamp } from "#platform/time.ts";

export interface BalancePage {
  readonly connector: InstalledConnector;
  readonly balances: readonly ProviderBalance[];
}

/** An interval on its way into the table. */
interface Draft extends HeldAmount {
  /** The row that is changed; absent for a new one. */
  readonly key?: number;
  readonly isOpen: boolean;
  /** The report that it begins with; absent for a row that is there. */
  readonly report?: ProviderBalance;
}

/**
 * Prepares balances to be stored, in their order; `recordBalance` says what becomes of each. Throws `ConnectorError` for a bad
 * one.
 */
export async function prepareBalances(
  { env, clock }: ServiceContext,
  { connector, balances }: BalancePage,
): Promise<PreparedPage> {
  for (const balance of balances) {
    const problem = balanceProblem(balance);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  if (balances.length === 0) return { statements: [], events: [] };
  const db = databaseOf(env);
  const open = await openIntervals(db, connector, balances);
  const now = clock();
  const page: PreparedPage = { statements: [], events: [] };
  const drafts: Draft[] = [];
  for (const [pair, reports] of Map.groupBy(balances, pairOf)) {
    const known = open.get(pair);
    const changed = fold(known, reports, (report, newest) => {
      const account = { connector: connector.id, reference: report.accountReference };
      page.events.push(savedBalanceEvent(account, { ...newest, asset: report.asset }, now));
    });
    drafts.push(...changed);
  }
  page.statements.push(...toStatements(db, connector, drafts));
  return page;
}

/** The rows that the reports of one account and asset change or add. */
function fold(
  known: Draft | undefined,
  reports: readonly ProviderBalance[],
  onSaved: (report: ProviderBalance, newest: HeldAmount) => void,
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
    onSaved(report, change.newest);
  }
  return newest === undefined || newest === known ? closed : [...closed, newest];
}

const held = (draft: Draft, amount: HeldAmount, isOpen: boolean): Draft => ({
  ...draft,
  ...amount,
  isOpen,
});

/** Changes come first, so that at no time two rows of an account and asset are open. */
function toStatements(
  db: Database,
  connector: InstalledConnector,
  drafts: readonly Draft[],
): PreparedPage["statements"] {
  const changed = drafts.flatMap(({ key, lastUpdatedAt, isOpen }) =>
    key === undefined ? [] : [[key, lastUpdatedAt, isOpen ? 1 : 0]],
  );
  const added = drafts.flatMap((draft) =>
    draft.report === undefined ? [] : [toRow(draft, draft.report)],
  );
  return [
    ...(changed.length === 0
      ? []
      : [
          db
            .update(paymentBalances)
            .set({ lastUpdatedAt: sql`r.item ->> 1`, isOpen: sql`r.item ->> 2` })
            .from(sql`${jsonRows(changed)} AS r`)
            .where(
              sql`${paymentBalances.key} = r.item ->> 0 AND ${paymentBalances.isOpen} = 1
                AND ${paymentBalances.lastUpdatedAt} <= r.item ->> 1`,
            ),
        ]),
    ...(added.length === 0
      ? []
      : [
          db.insert(paymentBalances).select(sql`
            SELECT NULL, ${installedKey(connector)}, ${rowItems(8)}
            FROM ${jsonRows(added)} AS r WHERE true ORDER BY ${ROW_ORDER}`),
        ]),
  ];
}

/** In the order of the table's columns. */
const toRow = (
  { amount, createdAt, lastUpdatedAt, isOpen }: Draft,
  { accountReference, asset, psuId, connectionId }: ProviderBalance,
): unknown[] => [
  accountReference,
  asset,
  amount.toString(),
  createdAt,
  lastUpdatedAt,
  isOpen ? 1 : 0,
  psuId ?? null,
  connectionId ?? null,
];

/** The accounts and assets of reports; an asset has no line break. */
const pairOf = ({ accountReference, asset }: Pick<ProviderBalance, "accountReference" | "asset">) =>
  `${asset}\n${accountReference}`;

async function openIntervals(
  db: Database,
  { key }: InstalledConnector,
  balances: readonly ProviderBalance[],
): Promise<Map<string, Draft>> {
  const pairs = [...Map.groupBy(balances, pairOf).values()].flatMap(([first]) =>
    first === undefined ? [] : [[first.accountReference, first.asset]],
  );
  const rows = await db.all<{
    key: number;
    accountReference: string;
    asset: string;
    amount: string;
    createdAt: Timestamp;
    lastUpdatedAt: Timestamp;
  }>(sql`
    SELECT b.key, b.account_reference AS accountReference, b.asset, b.amount,
      b.created_at AS createdAt, b.last_updated_at AS lastUpdatedAt
    FROM ${jsonRows(pairs)} AS r CROSS JOIN ${paymentBalances} AS b
      ON b.connector_key = ${key} AND b.account_reference = r.item ->> 0 AND b.asset = r.item ->> 1
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
