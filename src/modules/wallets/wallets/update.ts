import { getWallet } from "./get.ts";
import { balanceAddress } from "#modules/wallets/core/chart.ts";
import { ledgerKey } from "#modules/wallets/core/ids.ts";
import { type WalletMetadata, toCustomMetadata } from "#modules/wallets/core/keys.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Adds metadata to a wallet, and replaces values of keys that it has. Throws `NOT_FOUND`. */
export async function updateWallet(
  context: ServiceContext,
  input: {
    readonly walletId: string;
    readonly metadata: WalletMetadata;
    readonly idempotencyKey: string | undefined;
  },
): Promise<void> {
  const { walletId, metadata, idempotencyKey } = input;
  await getWallet(context, walletId);
  if (Object.keys(metadata).length === 0) return;
  await WalletLedger.of(context).saveMetadata(
    balanceAddress(walletId),
    toCustomMetadata(metadata),
    idempotencyKey === undefined ? undefined : ledgerKey("key", idempotencyKey),
  );
}
