import type { Metadata } from "./types.ts";

/** The metadata key under which a reverting transaction names the transaction that it reverts. */
export const REVERTS_KEY = "com.formance.spec/state/reverts";

/** The members of both, where `added` wins. It is safe for every key, because no key is ever assigned to. */
export const mergeMetadata = (base: Metadata, added: Metadata): Metadata => ({ ...base, ...added });

export const containsMetadata = (base: Metadata, part: Metadata): boolean =>
  Object.entries(part).every(([key, value]) => Object.hasOwn(base, key) && base[key] === value);

export const withoutKey = (base: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
