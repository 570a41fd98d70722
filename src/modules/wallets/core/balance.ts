import { type Assets, assetsOf, type BookAccount } from "./account.ts";
import { KEYS, type WalletMetadata, TRUE } from "./keys.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "#platform/time.ts";

/** A part of a wallet's money, with rules for when it is spent. */
export interface WalletBalance {
  readonly name: string;
  /** After this time, the balance cannot be spent. */
  readonly expiresAt: Timestamp | undefined;
  /** Order of spending among balances that do not expire, the lowest first. An integer of 64 bits. */
  readonly priority: bigint;
}

export interface BalanceWithAssets extends WalletBalance {
  readonly assets: Assets;
}

/**
 * The balance that an account stands for; undefined for any other account. Metadata that is absent or cannot be read stands for the
 * empty name, a balance that never expires, and priority 0.
 */
export function toBalance(account: BookAccount): BalanceWithAssets | undefined {
  const { metadata } = account;
  if (metadata[KEYS.isBalance] !== TRUE) return undefined;
  return {
    name: metadata[KEYS.balanceName] ?? "",
    expiresAt: parseTimestamp(metadata[KEYS.expiresAt] ?? ""),
    priority: parsePriority(metadata[KEYS.priority]),
    assets: assetsOf(account),
  };
}

/** The metadata of the account of a balance. The main balance has other metadata, which its wallet gets with it. */
export const balanceMetadata = (
  walletId: string,
  { name, expiresAt, priority }: WalletBalance,
): WalletMetadata => ({
  [KEYS.walletId]: walletId,
  [KEYS.isBalance]: TRUE,
  [KEYS.balanceName]: name,
  [KEYS.expiresAt]: expiresAt === undefined ? "" : formatTimestamp(expiresAt),
  [KEYS.priority]: priority.toString(),
});

/** Limits of priorities: integers of 64 bits. */
export const PRIORITY_MIN = -(2n ** 63n);
export const PRIORITY_MAX = 2n ** 63n - 1n;

const INTEGER = /^-?\d{1,19}$/;

const parsePriority = (text: string | undefined): bigint =>
  text !== undefined && INTEGER.test(text) ? BigInt(text) : 0n;

/** Whether a balance cannot be spent any more. At exactly its time it still can be, as in the reference, while a hold ends at its time. */
export const isExpired = (
  { expiresAt }: Pick<WalletBalance, "expiresAt">,
  now: Timestamp,
): boolean => expiresAt !== undefined && expiresAt < now;
