import { takeFromHold } from "./close.ts";
import { readHold } from "./get.ts";
import { balanceAddress, holdAddress } from "#modules/wallets/core/chart.ts";
import type { HoldState } from "#modules/wallets/core/hold.ts";
import { mergeParts, refund } from "#modules/wallets/core/refund.ts";
import { type Part, voidScript } from "#modules/wallets/core/scripts.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";

export interface HoldVoid {
  readonly holdId: string;
  /** A void with a key happens once. The member may be undefined but not absent, so that no caller forgets the key. */
  readonly idempotencyKey: string | undefined;
}

/** Moves the rest of a hold back to the balances that it came from. Throws `NOT_FOUND` and `HOLD_CLOSED`. */
export async function voidHold(context: ServiceContext, input: HoldVoid): Promise<void> {
  return voidIn(WalletLedger.of(context), input);
}

export function voidIn(ledger: WalletLedger, { holdId, idempotencyKey }: HoldVoid): Promise<void> {
  return takeFromHold(ledger, {
    read: () => readHold(ledger, holdId),
    idempotencyKey,
    toScript: async (hold, amount) => {
      const given = await givenTo(ledger, hold);
      const parts = refund(amount, { given, rest: balanceAddress(hold.walletId) });
      return voidScript(hold.asset, { hold: holdAddress(hold.id), parts });
    },
  });
}

/** Most transactions to a hold that are read. The debit is one; clients of the ledger can add others, which never happens by accident. */
const GIFTS_MAX = 100;

/** The accounts that gave to a hold, with the amounts of each, in the order of their first transactions. */
async function givenTo(ledger: WalletLedger, { id, asset }: HoldState): Promise<Part[]> {
  const destination = holdAddress(id);
  const transactions = await ledger.firstTransactions([{ $match: { destination } }], GIFTS_MAX);
  return mergeParts(
    transactions
      .flatMap(({ postings }) => postings)
      .filter((posting) => posting.destination === destination && posting.asset === asset)
      .map(({ source, amount }) => ({ account: source, amount })),
  );
}
