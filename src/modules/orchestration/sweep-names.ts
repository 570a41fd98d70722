/** Names of the sweeps of instances, and of occurrences of triggers. */
export const INSTANCES_SWEEP = "orchestration-instances";
export const OCCURRENCES_SWEEP = "orchestration-triggers";
