import { type NewWalletMovement, transactionOf } from "./credit.ts";
import { ALL_BALANCES, spendingAccounts } from "./sources.ts";
import { balanceAddress, holdAddress } from "#modules/wallets/core/chart.ts";
import { type Hold, holdMetadata } from "#modules/wallets/core/hold.ts";
import { derivedId } from "#modules/wallets/core/ids.ts";
import { assertMoney } from "#modules/wallets/core/money.ts";
import { sendScript } from "#modules/wallets/core/scripts.ts";
import { OUTSIDE, type WalletSubject, subjectAddress } from "#modules/wallets/core/subject.ts";
import { withExpiry } from "#modules/wallets/holds/expire.ts";
import { WalletLedger, type WalletTransaction } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface NewDebit extends NewWalletMovement {
  /** Receives the money; without it, the account `world`. For a hold, the destination receives when the hold is confirmed. */
  readonly destination?: WalletSubject | undefined;
  /** The balances that give, in this order; `*` alone for all balances in the order of spending; without any, the main balance. */
  readonly balances?: readonly string[] | undefined;
  /** Whether the money goes to a hold. */
  readonly pending?: boolean | undefined;
  /** Description of the hold. */
  readonly description?: string | undefined;
  /** When the hold is voided, unless it is closed before. */
  readonly expiresAt?: Timestamp | undefined;
}

export interface Debited {
  readonly transaction: WalletTransaction;
  /** The new hold of a pending debit. */
  readonly hold?: Hold;
}

/**
 * Moves money out of a wallet, or into a hold, in one transaction. Throws `VALIDATION`, `INSUFFICIENT_FUND`, and `CONFLICT` for a reference
 * that is taken.
 */
export async function debitWallet(context: ServiceContext, input: NewDebit): Promise<Debited> {
  const { walletId, balances = [], idempotencyKey, pending = false } = input;
  assertDebit(input);
  const destination = subjectAddress(input.destination ?? OUTSIDE);
  const ledger = WalletLedger.of(context);
  const sources = await spendingAccounts(ledger, {
    walletId,
    balances,
    asset: input.asset,
    isKeyed: idempotencyKey !== undefined,
    now: context.clock(),
  });
  const transaction = transactionOf(input);
  if (!pending) {
    const script = sendScript(input, { sources, destination });
    return { transaction: await ledger.move({ ...script, ...transaction }, idempotencyKey) };
  }
  const hold = toNewHold(input);
  const address = holdAddress(hold.id);
  const script = sendScript(input, { sources, destination: address });
  const accountMetadata = { [address]: holdMetadata(hold) };
  const isKeyed = idempotencyKey !== undefined;
  const moved = await withExpiry(context, { ledger, hold, isKeyed }, () =>
    ledger.move({ ...script, ...transaction, accountMetadata }, idempotencyKey),
  );
  return { transaction: moved, hold };
}

/** Throws `VALIDATION` for an input that needs no look into the ledger to be refused. */
function assertDebit(input: NewDebit): void {
  const { walletId, balances = [], pending = false, timestamp, expiresAt } = input;
  for (const name of balances) if (name !== ALL_BALANCES) balanceAddress(walletId, name);
  balanceAddress(walletId);
  assertMoney(input);
  if (pending && timestamp !== undefined) {
    throw new AppError("VALIDATION", "a pending debit takes no timestamp");
  }
  if (!pending && expiresAt !== undefined) {
    throw new AppError("VALIDATION", "only a pending debit takes an expiresAt");
  }
}

const toNewHold = (input: NewDebit): Hold => ({
  // A repetition with the same key has the same hold.
  id: input.idempotencyKey === undefined ? newId() : derivedId("hold", input.idempotencyKey),
  walletId: input.walletId,
  destination: input.destination ?? OUTSIDE,
  asset: input.asset,
  metadata: input.metadata ?? {},
  description: input.description ?? "",
  expiresAt: input.expiresAt,
});
