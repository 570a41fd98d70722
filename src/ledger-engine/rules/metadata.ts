import type { AccountMetadata, LoggedAccountMetadata, Metadata } from "./types.ts";

/** The metadata key under which a reverting transaction names the transaction that it reverts. */
export const REVERTS_KEY = "com.formance.spec/state/reverts";

/** The members of both; `added` wins. All keys are safe, also `__proto__`, because a spread defines members without assigning. */
export const mergeMetadata = (base: Metadata, added: Metadata): Metadata => ({ ...base, ...added });

export const containsMetadata = (base: Metadata, part: Metadata): boolean =>
  Object.entries(part).every(([key, value]) => Object.hasOwn(base, key) && base[key] === value);

export const withoutKey = (base: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));

/** The metadata that an entry gives to accounts, with `{}` for null. */
export function withoutNulls(accountMetadata: LoggedAccountMetadata): AccountMetadata {
  if (hasNoNulls(accountMetadata)) return accountMetadata;
  const entries = Object.entries(accountMetadata);
  // `fromEntries` keeps a member named `__proto__`.
  return Object.fromEntries(entries.map(([address, metadata]) => [address, metadata ?? {}]));
}

const hasNoNulls = (accountMetadata: LoggedAccountMetadata): accountMetadata is AccountMetadata =>
  Object.values(accountMetadata).every((metadata) => metadata !== null);
