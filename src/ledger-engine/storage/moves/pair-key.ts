import { ASSETS_MAX } from "#ledger-engine/rules/limits.ts";

/** The radix of pair keys: as small as possible, because V8 allocates an object for each integer above 2^31. Ids of assets begin at 1. */
export const PAIR_ASSETS = ASSETS_MAX + 1;

/** Combines the ids of an account and an asset in one integer. It is exact for more accounts than fit into a database. */
export const pairKey = (account: number, asset: number): number => account * PAIR_ASSETS + asset;

export const accountOf = (pair: number): number => Math.floor(pair / PAIR_ASSETS);
export const assetOf = (pair: number): number => pair % PAIR_ASSETS;
