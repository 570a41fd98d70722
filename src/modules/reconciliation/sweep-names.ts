/** Names of the sweeps that run rules, set their times right, and delete what is old or belongs to something deleted. */
export const RULES_SWEEP = "reconciliation-rules";
export const TIMES_SWEEP = "reconciliation-times";
export const RETENTION_SWEEP = "reconciliation-retention";
