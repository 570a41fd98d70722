import { sql } from "drizzle-orm";
import { reconciliationCorrections } from "./corrections/tables.ts";
import { reconciliationRules } from "./rules/tables.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";

const RULES = {
  table: sql`${reconciliationRules}`,
  graceMs: 300_000,
  severity: "critical",
  whatToDo: "look at the log for the sweep of rules, and at the rules' last evaluations",
  item: { id: sql`id`, path: (id: string) => `/api/reconciliation/rules/${id}` },
} as const;

/** What waits in the module. */
export const RECONCILIATION_STATUS: readonly StatusSection[] = [
  queuesSection(
    "reconciliation",
    { name: "work", description: "Rules that are due, and bookings that close breaks" },
    [
      {
        ...RULES,
        work: "scheduled-rules",
        where: sql`next_at IS NOT NULL`,
        due: sql`next_at`,
        why: "the schedules of the rules are past, and they were not evaluated",
      },
      {
        ...RULES,
        work: "event-rules",
        where: sql`events_due_at IS NOT NULL`,
        due: sql`events_due_at`,
        why: "events came for the rules, and they were not evaluated",
      },
      {
        work: "corrections",
        item: {
          id: sql`matching_id || '/corrections/' || id`,
          reason: sql`error`,
          path: (id) => `/api/florin/v1/reconciliation/matchings/${id}`,
        },
        table: sql`${reconciliationCorrections}`,
        // The first condition is that of the index, which SQLite uses only if it sees it.
        where: sql`state IN ('begun', 'waiting', 'booking', 'releasing') AND state <> 'waiting'`,
        due: sql`updated_at`,
        order: sql`state, updated_at`,
        graceMs: 300_000,
        severity: "critical",
        why: "the bookings have begun and not ended, and hold the lines that they close",
        whatToDo: "look at the log for the sweep of corrections, which takes them further",
      },
    ],
  ),
];
