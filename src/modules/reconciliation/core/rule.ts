export const TEMPLATE_KINDS = [
  "ledger_vs_pool_drift",
  "ledger_invariant",
  "account_threshold",
  "source_parity",
] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PERIOD_TYPES = ["continuous", "daily", "weekly", "monthly"] as const;
export type PeriodType = (typeof PERIOD_TYPES)[number];
