import { desc, sql } from "drizzle-orm";
import { LANE_BACKLOG } from "./core/lane.ts";
import { webhookConfigs, webhookOwed } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { backlogSection } from "#platform/status/object-backlogs.ts";
import { firstProblems, sample, type StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";
import { toMillis } from "#platform/time.ts";
import { IS_PENDING } from "#platform/work/sync-columns.ts";

const MODULE = "webhooks";

const queues = queuesSection(
  MODULE,
  { name: "queues", description: "Batches and changes that lanes of endpoints have not taken yet" },
  [
    {
      work: "owed-batches",
      table: sql`${webhookOwed}`,
      due: sql`created_at`,
      order: sql`id`,
      graceMs: 60_000,
      severity: "critical",
      why: "the objects of their endpoints do not take them",
      whatToDo:
        "look at the log for these objects; the sweep 'webhook-owed' gives them the batches again",
    },
    {
      work: "config-changes",
      table: sql`${webhookConfigs}`,
      where: IS_PENDING,
      due: sql`sync_after`,
      graceMs: 60_000,
      isOverdue: sql`sync_attempts >= 3`,
      severity: "critical",
      why: "the objects of their endpoints could not be told",
      whatToDo: "look at the log for these objects; the sweep 'webhooks' tells them again",
    },
  ],
);

/** Most deactivated configs that are read; they are counted, because a deployment has five hundred configs at most. */
const FAILED_MAX = 100;

/** Configs that were deactivated because their endpoints kept failing. */
const deactivated: StatusSection = {
  name: "deactivated",
  description: "Webhook configs that were deactivated because their endpoints kept failing",
  read: async ({ env }) => {
    const db = databaseOf(env);
    const hasFailed = sql`has_failed = 1 AND deleted_at IS NULL`;
    const [rows, [count]] = await db.batch([
      db
        .select({ id: webhookConfigs.id, updatedAt: webhookConfigs.updatedAt })
        .from(webhookConfigs)
        .where(hasFailed)
        .orderBy(desc(webhookConfigs.updatedAt))
        .limit(FAILED_MAX),
      db
        .select({ value: sql<number>`count(*)` })
        .from(webhookConfigs)
        .where(hasFailed),
    ]);
    const total = count?.value ?? 0;
    const problems = rows.map(({ id, updatedAt }) => ({
      severity: "warning" as const,
      what: id,
      sinceMs: toMillis(updatedAt),
      why: "the config was deactivated because its endpoint kept failing, and gets no events",
      whatToDo: "repair the endpoint, activate the config, and replay what it has missed",
    }));
    return {
      samples: [
        sample(FAMILIES.workWaiting, total, { module: MODULE, work: "deactivated-configs" }),
        sample(FAMILIES.workOverdue, total, { module: MODULE, work: "deactivated-configs" }),
      ],
      problems: firstProblems(problems, total),
    };
  },
};

/** What waits in the module. */
export const WEBHOOKS_STATUS: readonly StatusSection[] = [
  backlogSection(
    MODULE,
    {
      name: "deliveries",
      description: "Deliveries that wait in the lanes of endpoints, by config",
    },
    {
      kind: LANE_BACKLOG,
      severity: "warning",
      whatToDo:
        "look at the config's deliveries and their last errors, and repair the endpoint; deliveries are repeated by themselves",
    },
  ),
  queues,
  deactivated,
];
