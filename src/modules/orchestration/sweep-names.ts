/** The sweeps that look after instances, and after the occurrences of triggers. */
export const INSTANCES_SWEEP = "orchestration-instances";
export const OCCURRENCES_SWEEP = "orchestration-triggers";
