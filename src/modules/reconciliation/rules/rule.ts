import type { reconciliationRules } from "./tables.ts";
import type { Reach } from "#modules/reconciliation/balances/reach.ts";
import type { PublishedType } from "#modules/reconciliation/core/alert.ts";
import type { PeriodType, Severity, TemplateKind } from "#modules/reconciliation/core/rule.ts";
import type { RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import type { Template } from "#modules/reconciliation/core/templates/template.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Rule {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly kind: TemplateKind;
  /** The specification as the client has given it; see `parseTemplate`. */
  readonly spec: unknown;
  readonly enabled: boolean;
  readonly severity: Severity;
  readonly periodType: PeriodType;
  readonly schedule?: RuleSchedule;
  /** The next time of its schedule: of its cron expression, or because of events that have come. */
  readonly nextAt?: Timestamp;
  /** The types of events that are published; empty for all. */
  readonly notifications: readonly PublishedType[];
  readonly labels: Readonly<Record<string, string>>;
  readonly reach: Reach;
  /** What the rule reads or has read since it was created, of which its evaluations and alerts hold balances. */
  readonly evidenceReach: Reach;
  /** The principal that last changed the rule. */
  readonly principal: Principal;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly revision: number;
}

export type RuleRow = typeof reconciliationRules.$inferSelect;

/** A rule from its row. The types of the row's JSON are known, because only `create.ts` and `change.ts` write it. */
export const toRule = (row: RuleRow): Rule => ({
  key: row.key,
  id: row.id,
  name: row.name,
  kind: row.templateKind,
  spec: parseJson(row.templateSpec),
  enabled: row.enabled,
  severity: row.severity,
  periodType: row.periodType,
  ...(row.schedule === null ? {} : { schedule: parseJson(row.schedule) as RuleSchedule }),
  ...nextOf(row),
  notifications:
    row.notifications === null ? [] : (parseJson(row.notifications) as PublishedType[]),
  labels: row.labels === null ? {} : (parseJson(row.labels) as Record<string, string>),
  reach: { ledgers: parseJson(row.ledgers) as string[], hasPools: row.hasPools },
  evidenceReach: {
    ledgers: parseJson(row.evidenceLedgers) as string[],
    hasPools: row.evidenceHasPools,
  },
  principal: fromPrincipalColumn(row.principal),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  revision: row.revision,
});

/** A rule has one schedule, and so at most one of the two times. */
function nextOf({ nextAt, eventsDueAt }: RuleRow): Pick<Rule, "nextAt"> {
  const next = nextAt ?? eventsDueAt;
  return next === null ? {} : { nextAt: next };
}

/** The reach of a check. */
export function reachOf({ sources }: Pick<Template, "sources">): Reach {
  const ledgers = sources.flatMap((source) => (source.kind === "ledger" ? [source.ledger] : []));
  return {
    ledgers: [...new Set(ledgers)],
    hasPools: sources.some(({ kind }) => kind === "pool"),
  };
}
