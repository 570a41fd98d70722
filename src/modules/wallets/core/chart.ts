import { AppError } from "#platform/errors.ts";

/**
 * The accounts of the wallets' ledger, and the transactions between them. Ids and names are in addresses without their dashes.
 *
 *     world, or the sources of the credit
 *           │ credit
 *           ▼
 *     wallets:<wallet>:main, wallets:<wallet>:<balance> ─── debit ───► world, or the destination of the debit
 *           │                     ▲                                              ▲
 *           │ pending debit       │ void, or expiry: what is left,               │ confirmation, all of it
 *           │                     │ to the balances that have given              │ or an amount
 *           ▼                     │                                              │
 *     wallets:holds:<hold> ───────┴──────────────────────────────────────────────┘
 *
 * A final confirmation of an amount moves the rest of the hold to the wallet's main balance. A hold with nothing left is closed.
 */

/** Name of the balance that every wallet has. */
export const MAIN = "main";
/** The account that gives or receives money where a request names none. */
export const WORLD = "world";

const ROOT = "wallets";
const HOLDS = "holds";
const NAME = /^[0-9A-Za-z_-]+$/;
const ADDRESS = /^[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*$/;

/** Dashes are left out of addresses, so that the id of a wallet is the same with and without dashes. */
const undashed = (text: string): string => text.replaceAll("-", "");

/** Whether a text is one segment of an address, also without its dashes. */
const isSegment = (text: string): boolean => NAME.test(text) && undashed(text) !== "";

/** Whether a text may be the id of a wallet. `holds` may not, because the accounts of holds would be balances of this wallet. */
export const isWalletId = (text: string): boolean => isSegment(text) && undashed(text) !== HOLDS;

export const isBalanceName = isSegment;
export const isHoldId = isSegment;
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** Whether a name stands for the main balance, dashes apart. */
export const isMain = (name: string): boolean => undashed(name) === MAIN;

/** The address of a balance. Throws `VALIDATION` for an id or a name that no balance can have. */
export function balanceAddress(walletId: string, name: string = MAIN): string {
  if (!isWalletId(walletId)) throw invalidFormat(walletId);
  if (!isBalanceName(name)) throw invalidFormat(name);
  return `${ROOT}:${undashed(walletId)}:${undashed(name)}`;
}

/** The address of a hold. Throws `VALIDATION` for an id that no hold can have. */
export function holdAddress(holdId: string): string {
  if (!isHoldId(holdId)) throw invalidFormat(holdId);
  return `${ROOT}:${HOLDS}:${undashed(holdId)}`;
}

/** Longest part of a bad value that a message repeats, in characters. */
const QUOTED_MAX = 80;

export const invalidFormat = (value: string): AppError =>
  new AppError("VALIDATION", `invalid format for account '${value.slice(0, QUOTED_MAX)}'`);
