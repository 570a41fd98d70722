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
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly metadata: WalletMetadata;
  readonly createdAt: string;
  /** The ledger of all wallets. */
  readonly ledger: string;
  /** What the main balance holds. */
  readonly assets: Assets;
}

/** The wallet whose main account this is; undefined where it is no wallet's. */
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

/** Somebody may have changed the metadata in the ledger. */
function readableDate(text: string | undefined): string | undefined {
  const date = parseTimestamp(text ?? "");
  return date === undefined ? undefined : formatTimestamp(date);
}
