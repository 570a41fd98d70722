import type { paymentFetches, paymentSchedules } from "./tables.ts";

/** A schedule as it is stored, with the place of its run. */
export type Schedule = typeof paymentSchedules.$inferSelect;
/** A fetch of the items of one parent, as it is stored. */
export type ItemFetch = typeof paymentFetches.$inferSelect;
