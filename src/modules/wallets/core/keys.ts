/** The keys of metadata on accounts and transactions of the wallets' ledger. */
export const KEYS = {
  type: "wallets/spec/type",
  /** The wallet of a balance. */
  walletId: "wallets/id",
  walletName: "wallets/name",
  createdAt: "wallets/createdAt",
  createRequestHash: "wallets/createRequestHash",
  createResponse: "wallets/createResponse",

  isBalance: "wallets/balances",
  balanceName: "wallets/balances/name",
  expiresAt: "wallets/balances/expiresAt",
  priority: "wallets/balances/priority",

  holdId: "wallets/holds/id",
  holdWalletId: "wallets/holds/wallet_id",
  holdAsset: "wallets/holds/asset",
  holdDescription: "wallets/holds/description",
  holdSubject: "wallets/holds/subject",
  /** Florin's own; the reference has no holds that expire. */
  holdExpiresAt: "wallets/holds/expiresAt",
  destination: "destination",
  voidDestination: "void_destination",

  transaction: "wallets/transaction",
} as const;

/** The values of `KEYS.type`: the account of a wallet's main balance, and the account of a hold. */
export const PRIMARY = "wallets.primary";
export const HOLD = "wallets.hold";
/** The value of keys that only mark an account, such as `KEYS.isBalance`. */
export const TRUE = "true";

/** The key of the answer to a request that has created a balance, by the hash of the request's idempotency key. */
export const balanceResponseKey = (keyHash: string): string =>
  `wallets/balances/idempotency/${keyHash}`;

export type WalletMetadata = Readonly<Record<string, string>>;

const CUSTOM = "wallets/custom_data_";

/** The stored key of a client's own metadata. */
export const customKey = (key: string): string => `${CUSTOM}${key}`;

/** A client's own metadata in the stored form. No key of a client becomes one of `KEYS`. */
export const toCustomMetadata = (metadata: WalletMetadata): WalletMetadata =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [customKey(key), value]));

/** A client's own metadata, read from the stored form. All other keys are left out. */
export const fromCustomMetadata = (stored: WalletMetadata): WalletMetadata =>
  Object.fromEntries(
    Object.entries(stored)
      .filter(([key]) => key.startsWith(CUSTOM))
      .map(([key, value]) => [key.slice(CUSTOM.length), value]),
  );

/** The key of a ledger's filter for a stored key of metadata: one of `KEYS`, or a `customKey`. */
export const filterKeyOf = (key: string): string => `metadata[${key}]`;
