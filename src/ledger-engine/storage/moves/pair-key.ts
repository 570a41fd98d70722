/** A ledger has at most this many assets, because an account may hold each of them and is read with all its volumes. */
export const ASSETS_MAX = 10_000;

export const PAIR_ASSETS = ASSETS_MAX + 1;

/**
 * Combines an account and an asset in one integer. It is small, because V8 makes an object of one above 2^31; it is exact for more accounts
 * than fit into a database.
 */
export const pairKey = (account: number, asset: number): number => account * PAIR_ASSETS + asset;

export const accountOf = (pair: number): number => Math.floor(pair / PAIR_ASSETS);
export const assetOf = (pair: number): number => pair % PAIR_ASSETS;
