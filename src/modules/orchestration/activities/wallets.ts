import type { ActivityCall } from "./call.ts";
import { INSTANCE_KEY, keyOf } from "./ledger.ts";
import type { ActivityInputs, AssetAmount } from "#modules/orchestration/core/activities.ts";
import { assertMay } from "#modules/orchestration/instances/context.ts";
import * as wallets from "#modules/wallets/index.ts";

/** Most wallets of one name that are read. A stage fails if there is more than one. */
const WALLETS_SHOWN_MAX = 15;

export async function getWallet(
  { context }: ActivityCall,
  { id }: ActivityInputs["GetWallet"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "wallets:read" });
  const { assets, ...wallet } = await wallets.getWallet(context, id);
  return { ...wallet, balances: { main: { assets } } };
}

export async function listWallets(
  { context }: ActivityCall,
  { name }: ActivityInputs["ListWallets"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "wallets:read" });
  const page = await wallets.listWallets(context, { name, pageSize: WALLETS_SHOWN_MAX });
  const data = page.data.map(withoutAssets);
  return { pageSize: page.pageSize, hasMore: page.hasMore, data };
}

function withoutAssets({ assets: _assets, ...wallet }: wallets.Wallet) {
  return wallet;
}

export async function creditWallet(
  call: ActivityCall,
  { id, data }: ActivityInputs["CreditWallet"],
): Promise<unknown> {
  const { context } = call;
  assertMay(context.principal, { scope: "wallets:write" });
  const { sources, balance, timestamp } = data;
  const transaction = await wallets.creditWallet(context, {
    ...movement(call, id, data),
    sources,
    timestamp,
    // Without a balance, `creditWallet` credits the main balance.
    balance: balance === "main" ? undefined : balance,
  });
  return movedBy(transaction);
}

export async function debitWallet(
  call: ActivityCall,
  { id, data }: ActivityInputs["DebitWallet"],
): Promise<unknown> {
  const { context } = call;
  assertMay(context.principal, { scope: "wallets:write" });
  const { balances, destination, timestamp } = data;
  const { transaction } = await wallets.debitWallet(context, {
    ...movement(call, id, data),
    balances,
    destination,
    timestamp,
  });
  return movedBy(transaction);
}

/** The part of a wallet's transaction that is stored as the activity's output. */
const movedBy = ({ id, ledger, postings }: wallets.WalletTransaction) => ({ id, ledger, postings });

const movement = (
  { key, instanceId }: ActivityCall,
  walletId: string,
  {
    amount,
    metadata,
  }: { readonly amount: AssetAmount; readonly metadata: Readonly<Record<string, string>> },
) => ({
  walletId,
  ...amount,
  metadata: { ...metadata, [INSTANCE_KEY]: instanceId },
  idempotencyKey: keyOf(key),
});
