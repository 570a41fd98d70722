import { type Assets, assetsOf, type BookAccount } from "./account.ts";
import { MAIN } from "./chart.ts";
import {
  fromCustomMetadata,
  KEYS,
  type WalletMetadata,
  PRIMARY,
  toCustomMetadata,
  TRUE,
} from "./keys.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "#platform/time.ts";

export interface Wallet {
  /** Id of the wallet, a UUID. */
  readonly id: string;
  readonly name: string;
  readonly metadata: WalletMetadata;
  readonly createdAt: string;
  /** The ledger of all wallets. */
  readonly ledger: string;
  /** The assets of the main balance. */
  readonly assets: Assets;
}

/** The wallet whose main balance an account is; undefined for any other account. */
export function toWallet(account: BookAccount, ledger: string): Wallet | undefined {
  const { metadata } = account;
  const id = metadata[KEYS.walletId];
  if (metadata[KEYS.type] !== PRIMARY || id === undefined) return undefined;
  return {
    id,
    name: metadata[KEYS.walletName] ?? "",
    metadata: fromCustomMetadata(metadata),
    createdAt: readableDate(metadata[KEYS.createdAt]) ?? account.firstUsage,
    ledger,
    assets: assetsOf(account),
  };
}

/** The metadata of a new wallet's main account. */
export const walletMetadata = (wallet: {
  readonly id: string;
  readonly name: string;
  readonly metadata: WalletMetadata;
  readonly createdAt: Timestamp;
}): WalletMetadata => ({
  ...toCustomMetadata(wallet.metadata),
  [KEYS.type]: PRIMARY,
  [KEYS.walletId]: wallet.id,
  [KEYS.walletName]: wallet.name,
  [KEYS.isBalance]: TRUE,
  [KEYS.balanceName]: MAIN,
  [KEYS.createdAt]: formatTimestamp(wallet.createdAt),
});

/** Reads a stored date; undefined where a client has changed it in the ledger to something else. */
function readableDate(text: string | undefined): string | undefined {
  const date = parseTimestamp(text ?? "");
  return date === undefined ? undefined : formatTimestamp(date);
}
