/**
 * Names of the sweeps that run rules, set their times right, delete what is old or belongs to something deleted, and go on with corrections
 * that were cut off.
 */
export const RULES_SWEEP = "reconciliation-rules";
export const TIMES_SWEEP = "reconciliation-times";
export const RETENTION_SWEEP = "reconciliation-retention";
export const CORRECTIONS_SWEEP = "reconciliation-corrections";
