import type { RateKind } from "#modules/auth/core/quota.ts";

/** Numbers by what a quota counts. */
export type Counts = Readonly<Partial<Record<RateKind, number>>>;
/** Refusals by what was beyond the quota. */
export type Refusals = Readonly<Partial<Record<RateKind | "streams", number>>>;
