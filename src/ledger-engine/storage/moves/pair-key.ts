import { ASSETS_MAX } from "#ledger-engine/rules/limits.ts";

/** As few as there may be, because V8 makes an object of each integer above 2^31. Ids of assets begin at 1. */
export const PAIR_ASSETS = ASSETS_MAX + 1;

/** Combines an account and an asset in one integer. It is exact for more accounts than fit into a database. */
export const pairKey = (account: number, asset: number): number => account * PAIR_ASSETS + asset;

export const accountOf = (pair: number): number => Math.floor(pair / PAIR_ASSETS);
export const assetOf = (pair: number): number => pair % PAIR_ASSETS;
