import { sql } from "drizzle-orm";
import { WALLET_CLIENT_CODES, WALLET_ERRORS } from "./errors.ts";
import { HOLDS_SWEEP, sweepHolds } from "./holds/expire.ts";
import * as holds from "./holds/tables.ts";
import examples from "./http/examples.md" with { type: "text" };
import { WALLET_RESOURCES } from "./http/resources.ts";
import { API_VERSION, walletRoutes } from "./http/routes.ts";
import { walletSettings } from "./settings.ts";
import { WALLETS_STATUS } from "./status.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Wallets: balances of users, with priority and expiry, and holds. Their peculiarities:
 *
 * - Wallets, balances and holds are accounts with metadata in one ledger, and every movement is one transaction. `core/chart.ts` draws the
 *   accounts. Besides, only the times of holds that expire are stored, in D1, so that nothing can disagree.
 * - The ledger of the wallets is created when it is first needed. Its accounts are those of the reference, so that books from there can be
 *   imported.
 * - Addresses have no dashes: the balances `pay-out` and `payout` are the same.
 */
export const walletsModule: Module = {
  name: "wallets",
  version: API_VERSION,
  routes: walletRoutes,
  resources: WALLET_RESOURCES,
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: walletSettings,
  tables: tablesIn(holds),
  scopes: readAndWrite("wallets", "wallets, their balances and their holds"),
  errors: WALLET_ERRORS,
  clientCodes: WALLET_CLIENT_CODES,
  status: WALLETS_STATUS,
  sweeps: [{ name: HOLDS_SWEEP, run: sweepHolds }],
};

/*
 * The use cases for other modules. Each takes a context and an input, and throws the `AppError`s that its docstring names. Writes take an
 * idempotency key: a repetition with the same key and input changes nothing more.
 */
export { createBalance, type NewBalance } from "./balances/create.ts";
export { type BalanceOf, getBalance } from "./balances/get.ts";
export { type BalanceListRequest, listBalances } from "./balances/list.ts";
export type { Assets } from "./core/account.ts";
export type { WalletBalance, BalanceWithAssets } from "./core/balance.ts";
export type { Hold, HoldState } from "./core/hold.ts";
export type { Money } from "./core/scripts.ts";
export type { WalletSubject } from "./core/subject.ts";
export type { WalletSummary } from "./core/summary.ts";
export type { Wallet } from "./core/wallet.ts";
export { confirmHold, type HoldConfirmation } from "./holds/confirm.ts";
export { getHold } from "./holds/get.ts";
export { type HoldListRequest, listHolds } from "./holds/list.ts";
export { type HoldVoid, voidHold } from "./holds/void.ts";
export type { WalletTransaction } from "./ledger.ts";
export type { WalletPageRequest } from "./lists.ts";
export { creditWallet, type NewCredit } from "./movements/credit.ts";
export { type Debited, debitWallet, type NewDebit } from "./movements/debit.ts";
export { listMovements, type MovementListRequest } from "./movements/list.ts";
export { createWallet, type NewWallet } from "./wallets/create.ts";
export { getWallet } from "./wallets/get.ts";
export { listWallets, type WalletListRequest } from "./wallets/list.ts";
export { summarizeWallet } from "./wallets/summarize.ts";
export { updateWallet } from "./wallets/update.ts";
