import { decodeOwnedId } from "./ids.ts";

/**
 * The account at one end of a payment, as its row stores it: `12:acct_1` for the account `acct_1` of the connector whose
 * key is 12. An account of a connector that is not installed is stored as its id, `#eyJD…`, because clients may name one.
 * Neither form says that the account exists.
 */
export const toAccountKey = (connectorKey: number, reference: string): string =>
  `${connectorKey}:${reference}`;

export const toForeignAccountKey = (id: string): string => `#${id}`;

/** An account of an installed connector, or the id of an account of another connector. */
export type AccountName =
  | { readonly connectorKey: number; readonly reference: string }
  | { readonly id: string };

export function parseAccountKey(key: string): AccountName {
  if (key.startsWith("#")) return { id: key.slice(1) };
  const colon = key.indexOf(":");
  return { connectorKey: Number(key.slice(0, colon)), reference: key.slice(colon + 1) };
}

/** The provider's id of the account; undefined for a text after `#` that is not the id of an account. */
export function referenceOfKey(key: string): string | undefined {
  const account = parseAccountKey(key);
  return "id" in account ? decodeOwnedId(account.id)?.reference : account.reference;
}
