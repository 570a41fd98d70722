/** The names of the sweeps of payments. Each sweep has its own clock. */
export const JOBS_SWEEP = "payment-jobs";
export const BOOKINGS_SWEEP = "payment-bookings";
export const CONNECTORS_SWEEP = "payment-connectors";
export const INITIATIONS_SWEEP = "payment-initiations";
