import { assertSourceCount } from "./sources.ts";
import { getBalance } from "#modules/wallets/balances/get.ts";
import { balanceAddress, MAIN } from "#modules/wallets/core/chart.ts";
import { KEYS, type WalletMetadata, toCustomMetadata, TRUE } from "#modules/wallets/core/keys.ts";
import { assertMoney } from "#modules/wallets/core/money.ts";
import { type Money, sendScript } from "#modules/wallets/core/scripts.ts";
import { OUTSIDE, type WalletSubject, subjectAddress } from "#modules/wallets/core/subject.ts";
import { isKind, WalletLedger, type WalletTransaction } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** The input that credits and debits have in common. */
export interface NewWalletMovement extends Money {
  readonly walletId: string;
  readonly metadata?: WalletMetadata | undefined;
  /** The reference of the transaction, unique in the ledger. */
  readonly reference?: string | undefined;
  /** The effective date of the transaction. */
  readonly timestamp?: Timestamp | undefined;
  /** A movement with a key happens once. The member may be undefined but not absent, so that no caller forgets the key. */
  readonly idempotencyKey: string | undefined;
}

export interface NewCredit extends NewWalletMovement {
  /** The sources, which give in this order; without any, the account `world`. */
  readonly sources?: readonly WalletSubject[] | undefined;
  /** The balance that receives, which has to exist. Without it, the main balance receives, whether the wallet exists or not. */
  readonly balance?: string | undefined;
}

/**
 * Moves money into a wallet in one transaction. Throws `VALIDATION`, `INSUFFICIENT_FUND` where the sources have too little, and `CONFLICT`
 * for a reference that is taken.
 */
export async function creditWallet(
  context: ServiceContext,
  input: NewCredit,
): Promise<WalletTransaction> {
  const { walletId, sources = [], balance, idempotencyKey } = input;
  assertMoney(input);
  assertSourceCount(sources);
  const destination = balanceAddress(walletId, balance ?? MAIN);
  const from = (sources.length === 0 ? [OUTSIDE] : sources).map(subjectAddress);
  if (balance !== undefined) await assertBalance(context, { walletId, name: balance });
  const script = sendScript(input, { sources: from, destination });
  return WalletLedger.of(context).move({ ...script, ...transactionOf(input) }, idempotencyKey);
}

/** The fields of a transaction that a client gives. */
export const transactionOf = ({ metadata = {}, reference, timestamp }: NewWalletMovement) => ({
  metadata: { ...toCustomMetadata(metadata), [KEYS.transaction]: TRUE },
  reference,
  timestamp: timestamp === undefined ? undefined : formatTimestamp(timestamp),
});

/** Throws `VALIDATION` for a balance that does not exist. */
async function assertBalance(
  context: ServiceContext,
  balance: { readonly walletId: string; readonly name: string },
): Promise<void> {
  try {
    await getBalance(context, balance);
  } catch (error) {
    if (!isKind(error, "NOT_FOUND")) throw error;
    throw new AppError("VALIDATION", "balance not exists", { cause: error });
  }
}
