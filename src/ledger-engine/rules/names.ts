import { IMPORTED, type Note } from "./limits.ts";
import type { Account, Asset } from "./types.ts";
import { AppError } from "#platform/errors.ts";

const ADDRESS = /^[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*$/;
const ASSET = /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/[0-9]{1,6})?$/;
const LEDGER_NAME = /^[0-9a-zA-Z_-]{1,63}$/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(["_", "_info", "_healthcheck"]);

/** Longest account address, in characters. */
export const ADDRESS_LENGTH_MAX = 256;

/** Longest asset, in characters. Only assets of scripts for the machine can be as long, because their form sets no length. */
export const ASSET_LENGTH_MAX = 64;

export const isAddress = (text: string): text is Account =>
  text.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(text);

export const isAsset = (text: string): text is Asset => ASSET.test(text);

/** Returns a valid address. Throws `VALIDATION`, naming an invalid one. */
export function parseAccount(text: string, what: string): Account {
  if (isAddress(text)) return text;
  throw new AppError("VALIDATION", `invalid ${what} address ${quote(text)}`);
}

/** The account of an imported posting. The reference server takes longer addresses than this server. Throws `VALIDATION`. */
export function parseImportedAccount(text: string, what: string, note: Note): Account {
  if (isAddress(text)) return text;
  if (text.length > IMPORTED.addressLength || !ADDRESS.test(text)) return parseAccount(text, what);
  note(`the address '${shown(text)}' is longer than ${ADDRESS_LENGTH_MAX} characters`);
  return text as Account; // tested with `ADDRESS`
}

/**
 * Characters that bound ranges of addresses: U+0000 and U+0001 come before all characters of addresses, U+10FFFF after them. PostgreSQL,
 * in which the reference server keeps its addresses, cannot hold U+0000 either.
 */
const BOUNDS = ["\u0000", "\u0001", "\u{10FFFF}"];

/**
 * The address of an account to which an imported entry gives metadata. The reference server takes any text as this address. Throws
 * `VALIDATION` for a text that no ledger can hold.
 */
export function parseTarget(text: string): Account {
  if (
    text.length <= IMPORTED.addressLength &&
    text.isWellFormed() &&
    !BOUNDS.some((it) => text.includes(it))
  ) {
    return text as Account; // an address that no posting has may be any text
  }
  throw new AppError("VALIDATION", `invalid account address ${quote(text)}`);
}

/** Returns a valid asset. Throws `VALIDATION`, naming an invalid one. */
export function parseAsset(text: string): Asset {
  if (isAsset(text)) return text;
  throw new AppError(
    "VALIDATION",
    `invalid asset ${quote(text)}: expected a form like USD, USD/2 or EUR_COL/2`,
  );
}

export const isLedgerName = (text: string): boolean =>
  LEDGER_NAME.test(text) && !RESERVED_NAMES.has(text);

/** Throws `VALIDATION` for an invalid name of a ledger, quoting the name. */
export function assertLedgerName(text: string): void {
  if (isLedgerName(text)) return;
  throw new AppError(
    "VALIDATION",
    `invalid ledger name ${quote(text)}: expected 1 to 63 letters, digits, '_' and '-', and not a reserved name`,
  );
}

export const isBucketName = (text: string): boolean => LEDGER_NAME.test(text);

/** Longest part of a bad value that a message repeats, in characters. */
const QUOTED_MAX = 80;

const quote = (text: string): string => `'${shown(text)}'`;

/** The beginning of a text, for a message. */
export const shown = (text: string): string =>
  text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX).toWellFormed()}…` : text;
