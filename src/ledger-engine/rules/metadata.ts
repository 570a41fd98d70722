import type { Metadata } from "./types.ts";

/** Metadata key under which a reverting transaction names the one that it reverts. */
export const REVERTS_KEY = "com.formance.spec/state/reverts";

/** `added` over `base`. Safe for every key: no key is ever assigned to. */
export const mergeMetadata = (base: Metadata, added: Metadata): Metadata => ({ ...base, ...added });

export const containsMetadata = (base: Metadata, part: Metadata): boolean =>
  Object.entries(part).every(([key, value]) => Object.hasOwn(base, key) && base[key] === value);

export const withoutKey = (base: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
