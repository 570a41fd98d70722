import { holdAddress } from "#modules/wallets/core/chart.ts";
import type { HoldState } from "#modules/wallets/core/hold.ts";
import { KEYS, TRUE } from "#modules/wallets/core/keys.ts";
import type { WalletScript } from "#modules/wallets/core/scripts.ts";
import { isKind, type WalletLedger } from "#modules/wallets/ledger.ts";
import { AppError } from "#platform/errors.ts";

/** Most attempts to empty a hold from which other requests take money at the same time. */
const ATTEMPTS_MAX = 20;

export interface Closing {
  /** Reads the hold. Throws `NOT_FOUND`. */
  readonly read: () => Promise<HoldState>;
  readonly idempotencyKey: string | undefined;
  /** The amount that the request names; undefined for all that the hold has left. */
  readonly amount?: bigint | undefined;
  /** The script that moves an amount of the hold. Calls with the same hold and amount give the same script. */
  readonly toScript: (hold: HoldState, amount: bigint) => WalletScript | Promise<WalletScript>;
}

/**
 * Moves money out of a hold. A repetition with the same key changes nothing and succeeds, also when the hold has nothing left. Throws
 * `NOT_FOUND`, `HOLD_CLOSED` and `INSUFFICIENT_FUND`.
 */
export async function takeFromHold(ledger: WalletLedger, closing: Closing): Promise<void> {
  const { read, idempotencyKey, amount, toScript } = closing;
  for (let attempts = 1; ; attempts++) {
    const hold = await read();
    const isClosed = hold.remaining === 0n;
    if (isClosed && idempotencyKey === undefined) throw closed();
    // For a closed hold, the request may repeat the last transaction, of which only the ledger knows the key. Then it moves the same
    // amount.
    const wanted = amount ?? (isClosed ? await lastMoved(ledger, hold) : hold.remaining);
    if (wanted <= 0n) throw closed();
    try {
      const script = await toScript(hold, wanted);
      const movement = { ...script, metadata: { [KEYS.transaction]: TRUE } };
      await ledger.move(movement, idempotencyKey);
      return;
    } catch (error) {
      if (!isKind(error, "INSUFFICIENT_FUND")) throw error;
      if (isClosed) throw closed(error);
      if (amount !== undefined || attempts === ATTEMPTS_MAX) {
        throw new AppError("INSUFFICIENT_FUND", "insufficient fund", { cause: error });
      }
    }
  }
}

/** The amount that the last transaction from a hold has moved. */
async function lastMoved(ledger: WalletLedger, { id, asset }: HoldState): Promise<bigint> {
  const source = holdAddress(id);
  const { data } = await ledger.pageOfTransactions([{ $match: { source } }], { pageSize: 1 });
  return (data[0]?.postings ?? [])
    .filter((posting) => posting.source === source && posting.asset === asset)
    .reduce((sum, posting) => sum + posting.amount, 0n);
}

const closed = (cause?: unknown): AppError => new AppError("HOLD_CLOSED", "closed hold", { cause });
