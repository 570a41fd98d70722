import { and, inArray, sql } from "drizzle-orm";
import { type AdjustmentToBook, readAdjustments } from "./adjustments.ts";
import { paymentsOf } from "./scope.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import {
  parseAccountKey,
  referenceOfKey,
  toAccountKey,
} from "#modules/payments/core/account-keys.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { decodeConnectorId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { findConnector } from "#modules/payments/installs/store.ts";
import { matchingAccounts } from "#modules/payments/pools/dynamic.ts";
import { getPool } from "#modules/payments/pools/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The payments of an installed connector, or those from and to the accounts of a pool. */
export type MoneyScope = { readonly connectorID: string } | { readonly poolID: string };

/** What one adjustment of a payment has moved, from or to an account of the scope. */
export interface MoneyMove {
  /** The key of the adjustment. Keys ascend in the order in which adjustments were stored. */
  readonly key: number;
  readonly side: "in" | "out";
  /** In the asset's smallest unit: positive for what the scope's account received. */
  readonly amount: bigint;
  readonly asset: string;
  readonly createdAt: Timestamp;
  readonly paymentID: string;
  readonly type: PaymentType;
  readonly status: PaymentStatus;
  /** The provider's ids of the payment and of the adjustment. */
  readonly paymentReference: string;
  readonly reference: string;
  /** The provider's ids of the account of the scope and of the one at the other end, where they are known. */
  readonly account: string | undefined;
  readonly otherAccount: string | undefined;
  /** The key of the first adjustment of the payment that moved money, unless it is this one or only adds a further amount. */
  readonly corrects: number | undefined;
}

export interface MoneyMovePage {
  readonly moves: readonly MoneyMove[];
  /** The key up to which adjustments were searched. */
  readonly position: number;
  readonly isLast: boolean;
}

/**
 * What payments of a scope have moved, in the order in which their adjustments were stored; amounts follow `core/booking-effect.ts`. A page
 * has the moves of at most `limit` adjustments after a position, which may be none.
 *
 * | Payment | Moves |
 * | --- | --- |
 * | of a connector, `PAY-IN` or `PAYOUT` | one, in or out |
 * | of a connector, of another type | out of the account that paid and into the one that was paid, as far as they are internal accounts of the connector |
 * | of a pool | out of the account that paid and into the one that was paid, as far as they are accounts of the pool |
 *
 * Throws `NOT_FOUND` for a connector that is not installed and for an unknown pool.
 */
export async function readMoneyMoves(
  context: ServiceContext,
  scope: MoneyScope,
  { position, limit }: { readonly position: number; readonly limit: number },
): Promise<MoneyMovePage> {
  const directory = await ConnectorDirectory.read(context);
  const { payments, ownAccounts, isConnector } = await openScope(context, scope, directory);
  const search = { payments, position, directory, searchedMax: limit };
  const { adjustments, ...part } = await readAdjustments(databaseOf(context.env), search);
  const moving = adjustments.filter(({ moved }) => moved !== 0n);
  const own = await ownAccounts(moving);
  return { moves: moving.flatMap((one) => movesOf(one, { own, isConnector })), ...part };
}

type OwnAccounts = (adjustments: readonly AdjustmentToBook[]) => Promise<ReadonlySet<string>>;

async function openScope(
  context: ServiceContext,
  scope: MoneyScope,
  directory: ConnectorDirectory,
) {
  if ("connectorID" in scope) {
    const id = decodeConnectorId(scope.connectorID);
    const connector = id && (await findConnector(context, id));
    if (connector === undefined || connector.deletedAt !== undefined) {
      throw new AppError("NOT_FOUND", `the connector ${scope.connectorID} is not installed`);
    }
    const { key: connectorKey } = connector;
    const payments = await paymentsOf(context, { connectorKey }, directory);
    if (payments === undefined)
      throw new AppError("NOT_FOUND", "the connector is being uninstalled");
    const ownAccounts: OwnAccounts = (all) => internalAccounts(context, connectorKey, all);
    return { payments, ownAccounts, isConnector: true };
  }
  const payments = await paymentsOf(context, { poolId: scope.poolID }, directory);
  if (payments === undefined) {
    throw new AppError("NOT_FOUND", `there is no pool ${scope.poolID}`);
  }
  const ownAccounts: OwnAccounts = () => accountsOfPool(context, scope.poolID, directory);
  return { payments, ownAccounts, isConnector: false };
}

/** The names of those accounts of adjustments that are internal accounts of a connector. */
async function internalAccounts(
  { env }: Pick<ServiceContext, "env">,
  connectorKey: number,
  adjustments: readonly AdjustmentToBook[],
): Promise<ReadonlySet<string>> {
  const references = adjustments
    .flatMap(({ payment }) => [payment.sourceAccount, payment.destinationAccount])
    .flatMap((key) => (key === undefined ? [] : [parseAccountKey(key)]))
    .flatMap((name) =>
      "id" in name || name.connectorKey !== connectorKey ? [] : [name.reference],
    );
  if (references.length === 0) return new Set();
  const list = sql`(SELECT value FROM json_each(${stringifyJson([...new Set(references)])}))`;
  const rows = await databaseOf(env)
    .select({ reference: paymentAccounts.reference })
    .from(paymentAccounts)
    .where(
      and(
        inArray(paymentAccounts.reference, list),
        sql`${paymentAccounts.connectorKey} = ${connectorKey}`,
        sql`${paymentAccounts.type} = 'INTERNAL'`,
      ),
    );
  return new Set(rows.map(({ reference }) => toAccountKey(connectorKey, reference)));
}

/** The names of the accounts of a pool, of which there are at most a thousand. */
async function accountsOfPool(
  context: ServiceContext,
  poolId: string,
  directory: ConnectorDirectory,
): Promise<ReadonlySet<string>> {
  const { query, accounts } = await getPool(context, poolId);
  const all = query === undefined ? accounts : await matchingAccounts(context, query);
  return new Set(all.map((id) => directory.accountKeyOf(id)));
}

function movesOf(
  adjustment: AdjustmentToBook,
  { own, isConnector }: { readonly own: ReadonlySet<string>; readonly isConnector: boolean },
): MoneyMove[] {
  const { payment, moved, firstMoved, key, status } = adjustment;
  const { type, sourceAccount: source, destinationAccount: destination } = payment;
  const isOneWay = isConnector && (type === "PAY-IN" || type === "PAYOUT");
  const isOwn = (account: string | undefined) => account !== undefined && own.has(account);
  const common = {
    key,
    asset: adjustment.asset,
    createdAt: adjustment.createdAt,
    paymentID: adjustment.ids.payment,
    type,
    status,
    paymentReference: payment.reference,
    reference: adjustment.reference,
    corrects: firstMoved === key || status === "CAPTURE" ? undefined : firstMoved,
  };
  const leaves = isOneWay ? type === "PAYOUT" : isOwn(source);
  const enters = isOneWay ? type === "PAY-IN" : isOwn(destination);
  const ends = { source: referenceOf(source), destination: referenceOf(destination) };
  return [
    ...(leaves
      ? [
          {
            ...common,
            side: "out" as const,
            amount: -moved,
            account: ends.source,
            otherAccount: ends.destination,
          },
        ]
      : []),
    ...(enters
      ? [
          {
            ...common,
            side: "in" as const,
            amount: moved,
            account: ends.destination,
            otherAccount: ends.source,
          },
        ]
      : []),
  ];
}

const referenceOf = (key: string | undefined): string | undefined =>
  key === undefined ? undefined : referenceOfKey(key);
