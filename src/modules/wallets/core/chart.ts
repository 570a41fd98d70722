import { AppError } from "#platform/errors.ts";

/** The accounts of the ledger in which wallets, balances and holds are. */

/** The balance that every wallet has. */
export const MAIN = "main";
/** Where money comes from and goes to, unless a request says otherwise. */
export const WORLD = "world";

const ROOT = "wallets";
const HOLDS = "holds";
const NAME = /^[0-9A-Za-z_-]+$/;
const ADDRESS = /^[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*$/;

/** Dashes are left out of addresses, so that the id of a wallet is the same with and without them. */
const undashed = (text: string): string => text.replaceAll("-", "");

/** Whether a text is one segment of an address, also without its dashes. */
const isSegment = (text: string): boolean => NAME.test(text) && undashed(text) !== "";

/** Whether a wallet may have this id: the accounts of holds are where those of a wallet `holds` would be. */
export const isWalletId = (text: string): boolean => isSegment(text) && undashed(text) !== HOLDS;

export const isBalanceName = isSegment;
export const isHoldId = isSegment;
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** Whether a name, as it stands in an address, is that of the main balance. */
export const isMain = (name: string): boolean => undashed(name) === MAIN;

/** The account of a balance. Throws `VALIDATION` for an id or a name that none can have. */
export function balanceAddress(walletId: string, name: string = MAIN): string {
  if (!isWalletId(walletId)) throw invalidFormat(walletId);
  if (!isBalanceName(name)) throw invalidFormat(name);
  return `${ROOT}:${undashed(walletId)}:${undashed(name)}`;
}

/** The account of a hold. Throws `VALIDATION` for an id that none can have. */
export function holdAddress(holdId: string): string {
  if (!isHoldId(holdId)) throw invalidFormat(holdId);
  return `${ROOT}:${HOLDS}:${undashed(holdId)}`;
}

/** Longest part of a bad value that a message repeats. */
const QUOTED_MAX = 80;

export const invalidFormat = (value: string): AppError =>
  new AppError("VALIDATION", `invalid format for account '${value.slice(0, QUOTED_MAX)}'`);
