/** The sweeps of payments; each has a clock of its own. */
export const JOBS_SWEEP = "payment-jobs";
export const BOOKINGS_SWEEP = "payment-bookings";
export const CONNECTORS_SWEEP = "payment-connectors";
export const INITIATIONS_SWEEP = "payment-initiations";
