import type { z } from "@hono/zod-openapi";
import type {
  AccountBalancesResponse,
  AccountV1Response,
  LogV1Response,
  TransactionV1Response,
} from "./schemas.ts";
import {
  toAccountView,
  toTransactionView,
  type AccountRecord,
  type LogListEntry,
  type Transaction,
} from "#ledger-engine";
import { toBalancesView, toLogView } from "#modules/ledger/wire/views.ts";
import { formatTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

export const toTransactionV1View = (
  transaction: Transaction,
): z.input<typeof TransactionV1Response> => ({
  ...toTransactionView(transaction),
  txid: transaction.id,
});

export const toAccountV1View = (
  account: AccountRecord,
  expand: { effectiveVolumes: boolean },
): z.input<typeof AccountV1Response> => ({
  ...toAccountView(account, { ...expand, volumes: true }),
  balances: balancesOf(account),
});

/** An account that was never used, which this version shows as well. */
export const toUnusedAccountView = (address: string): z.input<typeof AccountV1Response> => ({
  address,
  metadata: {},
  firstUsage: NEVER,
  insertionDate: NEVER,
  updatedAt: NEVER,
  balances: {},
});

const NEVER = formatTimestamp(ZERO_TIMESTAMP);

/** An object with the account's address as its only key. A computed key creates a member of its own, also for `__proto__`. */
export const toAccountBalancesView = (
  account: AccountRecord,
): z.input<typeof AccountBalancesResponse> => ({ [account.address]: balancesOf(account) });

const balancesOf = ({ volumes = [] }: AccountRecord) =>
  toBalancesView(volumes.map(({ asset, input, output }) => ({ asset, balance: input - output })));

/** The entry as in version 2, or nothing for an entry of a type that the clients refuse. */
export function toLogV1Views(entry: LogListEntry): z.input<typeof LogV1Response>[] {
  const { type, ...view } = toLogView(entry);
  return type === "NEW_TRANSACTION" || type === "SET_METADATA" ? [{ type, ...view }] : [];
}
