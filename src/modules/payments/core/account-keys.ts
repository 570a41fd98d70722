import { decodeOwnedId } from "./ids.ts";

/**
 * The account at either end of a payment as a text of its row: `12:acct_1` for the account `acct_1` of the connector whose key
 * is 12. Clients may also name accounts of connectors that are not installed: these are kept as their ids, `#eyJD…`. Nothing
 * says that there is such an account.
 */
export const toAccountKey = (connectorKey: number, reference: string): string =>
  `${connectorKey}:${reference}`;

export const toForeignAccountKey = (id: string): string => `#${id}`;

/** What a key names: an account of an installed connector, or an id. */
export type AccountName =
  | { readonly connectorKey: number; readonly reference: string }
  | { readonly id: string };

export function parseAccountKey(key: string): AccountName {
  if (key.startsWith("#")) return { id: key.slice(1) };
  const colon = key.indexOf(":");
  return { connectorKey: Number(key.slice(0, colon)), reference: key.slice(colon + 1) };
}

/** The provider's id of the account. */
export function referenceOfKey(key: string): string | undefined {
  const account = parseAccountKey(key);
  return "id" in account ? decodeOwnedId(account.id)?.reference : account.reference;
}
