import type { paymentFetches, paymentSchedules } from "./tables.ts";

/** A row of a schedule, with the position of its run. */
export type Schedule = typeof paymentSchedules.$inferSelect;
/** A row of a fetch: the items of one parent. */
export type ItemFetch = typeof paymentFetches.$inferSelect;
