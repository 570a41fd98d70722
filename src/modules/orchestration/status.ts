import { sql } from "drizzle-orm";
import { orchestrationInstances } from "./instances/tables.ts";
import { orchestrationOccurrences, orchestrationTriggers } from "./triggers/tables.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";

const MODULE = "orchestration";

const INSTANCE = {
  id: sql`id`,
  path: (id: string) => `/api/orchestration/v2/instances/${id}`,
};

/** What waits in the module. */
export const ORCHESTRATION_STATUS: readonly StatusSection[] = [
  queuesSection(MODULE, { name: "instances", description: "Instances that have not ended" }, [
    {
      work: "instances",
      item: INSTANCE,
      table: sql`${orchestrationInstances}`,
      where: sql`due_at IS NOT NULL`,
      due: sql`due_at`,
      graceMs: 120_000,
      severity: "critical",
      why: "the instances have not moved by the time by which they had to",
      whatToDo: "look at the log for the sweep of instances, which starts them again",
    },
    {
      work: "stuck-instances",
      item: { ...INSTANCE, reason: sql`json_extract(hold, '$.lastFailure')` },
      table: sql`${orchestrationInstances}`,
      where: sql`state = 'stuck'`,
      due: sql`json_extract(hold, '$.since')`,
      order: sql`key`,
      graceMs: 0,
      isOverdue: sql`TRUE`,
      severity: "warning",
      why: "an activity of each has failed and is tried again",
      whatToDo:
        "list the instances with the state 'stuck', which show the last failure; repair what it names, or abort them",
    },
  ]),
  queuesSection(
    MODULE,
    { name: "triggers", description: "Occurrences of triggers that have not fired yet" },
    [
      {
        work: "occurrences",
        item: {
          id: sql`(SELECT id FROM orchestration_triggers WHERE key = trigger_key)`,
          reason: sql`error`,
          path: (id) => `/api/orchestration/v2/triggers/${id}/occurrences`,
        },
        table: sql`${orchestrationOccurrences}`,
        where: sql`due_at IS NOT NULL`,
        due: sql`date`,
        order: sql`due_at`,
        graceMs: 120_000,
        severity: "critical",
        why: "the events came long ago, and the triggers have not fired for them",
        whatToDo:
          "look at the triggers' occurrences for their errors, and at the log for the queue 'florin-triggers'",
      },
      {
        work: "stopped-triggers",
        item: { id: sql`id`, path: (id) => `/api/orchestration/v2/triggers/${id}` },
        // The planner takes the index of lists otherwise, which sorts by another column.
        table: sql`${orchestrationTriggers} INDEXED BY orchestration_triggers_stopped`,
        where: sql`stopped_at IS NOT NULL AND deleted_at IS NULL`,
        due: sql`stopped_at`,
        graceMs: 0,
        isOverdue: sql`TRUE`,
        severity: "warning",
        why: "the triggers were stopped because they were part of a loop",
        whatToDo: "break the loop, then delete the triggers and create them again",
      },
    ],
  ),
];
