/** More than there are assets in a ledger. */
export const PAIR_ASSETS = 2 ** 20;

/** Combines an account and an asset in one integer: exact for accounts up to 2^33. */
export const pairKey = (account: number, asset: number): number => account * PAIR_ASSETS + asset;

export const accountOf = (pair: number): number => Math.floor(pair / PAIR_ASSETS);
export const assetOf = (pair: number): number => pair % PAIR_ASSETS;
