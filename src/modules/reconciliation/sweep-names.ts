/** Names of the sweeps that run rules, and that delete what is old or belongs to something deleted. */
export const RULES_SWEEP = "reconciliation-rules";
export const RETENTION_SWEEP = "reconciliation-retention";
