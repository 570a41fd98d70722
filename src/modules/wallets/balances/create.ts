import type { BookAccount } from "#modules/wallets/core/account.ts";
import {
  type WalletBalance,
  balanceMetadata,
  PRIORITY_MAX,
  PRIORITY_MIN,
  toBalance,
} from "#modules/wallets/core/balance.ts";
import { balanceAddress, isBalanceName, isMain } from "#modules/wallets/core/chart.ts";
import { ledgerKey, sha256 } from "#modules/wallets/core/ids.ts";
import { balanceResponseKey } from "#modules/wallets/core/keys.ts";
import { isKind, WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export interface NewBalance {
  readonly walletId: string;
  readonly name: string;
  readonly expiresAt?: Timestamp | undefined;
  readonly priority?: bigint | undefined;
  /**
   * A repeated request with the key gets the first answer. The member may be undefined but not absent, so that no caller forgets the key.
   */
  readonly idempotencyKey: string | undefined;
}

/**
 * Creates a balance, without checking that the wallet exists. Throws `VALIDATION` for a name that is taken or reserved, and `CONFLICT` for
 * a key that another request has used.
 */
export async function createBalance(
  context: ServiceContext,
  input: NewBalance,
): Promise<WalletBalance> {
  const { walletId, idempotencyKey } = input;
  const balance = toNewBalance(input);
  const address = balanceAddress(walletId, balance.name);
  const ledger = WalletLedger.of(context);
  const attempt = { balance, responseKey: responseKeyOf(idempotencyKey) };
  const found = await ledger.findAccount(address);
  const known = found === undefined ? undefined : existing(found, attempt);
  if (known !== undefined) return known;
  const write = {
    ...balanceMetadata(walletId, balance),
    ...(attempt.responseKey === undefined ? {} : { [attempt.responseKey]: toText(balance) }),
  };
  try {
    await ledger.saveMetadata(address, write, onceAfter(address, found));
    return balance;
  } catch (error) {
    const winner = isKind(error, "VALIDATION") ? await ledger.findAccount(address) : undefined;
    const theirs = winner === undefined ? undefined : existing(winner, attempt);
    if (theirs === undefined) throw error;
    return theirs;
  }
}

function toNewBalance({ name, expiresAt, priority = 0n }: NewBalance): WalletBalance {
  if (!isBalanceName(name)) throw new AppError("VALIDATION", "invalid balance name");
  if (isMain(name)) throw new AppError("VALIDATION", "reserved balance name");
  if (priority < PRIORITY_MIN || priority > PRIORITY_MAX) {
    throw new AppError("VALIDATION", "the priority does not fit into 64 bits");
  }
  return { name, expiresAt, priority };
}

const responseKeyOf = (key: string | undefined): string | undefined =>
  key === undefined ? undefined : balanceResponseKey(sha256(key));

/**
 * The ledger's idempotency key of a write that follows from the account as it was read. Of two requests that have read the same account,
 * the ledger takes the first one, and refuses the second one unless it writes the same.
 */
const onceAfter = (address: string, found: BookAccount | undefined): string =>
  ledgerKey("balance", sha256(stringifyJson([address, Object.entries(found?.metadata ?? {})])));

interface Attempt {
  readonly balance: WalletBalance;
  /** The key of metadata that holds the answer to a request with an idempotency key. */
  readonly responseKey: string | undefined;
}

/** The balance that an earlier request with the same key has created. Throws if another request has created the balance. */
function existing(
  account: BookAccount,
  { balance, responseKey }: Attempt,
): WalletBalance | undefined {
  const text = responseKey === undefined ? undefined : account.metadata[responseKey];
  if (text === toText(balance)) return balance;
  if (text !== undefined) {
    throw new AppError("CONFLICT", "the idempotency key was used with another request");
  }
  if (toBalance(account) === undefined) return undefined;
  throw new AppError("VALIDATION", "balance already exists");
}

const toText = ({ name, expiresAt, priority }: WalletBalance): string =>
  stringifyJson({
    name,
    expiresAt: expiresAt === undefined ? null : formatTimestamp(expiresAt),
    priority,
  });
