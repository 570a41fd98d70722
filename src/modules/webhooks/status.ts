import { desc, sql } from "drizzle-orm";
import { LANE_BACKLOG } from "./core/lane.ts";
import { webhookConfigs, webhookOwed } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { backlogSection } from "#platform/status/object-backlogs.ts";
import { firstProblems, sample, type StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import { IS_PENDING } from "#platform/work/sync-columns.ts";

const MODULE = "webhooks";

const CONFIG_PATH = (id: string): string => `/api/webhooks/configs?id=${encodeURIComponent(id)}`;

const queues = queuesSection(
  MODULE,
  { name: "queues", description: "Batches and changes that lanes of endpoints have not taken yet" },
  [
    {
      work: "owed-batches",
      item: { id: sql`config_id`, path: CONFIG_PATH },
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
      item: { id: sql`id`, path: CONFIG_PATH },
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
const DEACTIVATED = { module: MODULE, work: "deactivated-configs" } as const;

const HAS_FAILED = sql`has_failed = 1 AND deleted_at IS NULL`;

/** The configs that were deactivated last. */
const lastFailed = (db: Database, max: number) =>
  db
    .select({ id: webhookConfigs.id, updatedAt: webhookConfigs.updatedAt })
    .from(webhookConfigs)
    .where(HAS_FAILED)
    .orderBy(desc(webhookConfigs.updatedAt))
    .limit(max);

const problemOf = ({ id, updatedAt }: { id: string; updatedAt: Timestamp }) => ({
  severity: "warning" as const,
  what: id,
  sinceMs: toMillis(updatedAt),
  why: "the config was deactivated because its endpoint kept failing, and gets no events",
  whatToDo: "repair the endpoint, activate the config, and replay what it has missed",
});

/** Configs that were deactivated because their endpoints kept failing. */
const deactivated: StatusSection = {
  name: "deactivated",
  description: "Webhook configs that were deactivated because their endpoints kept failing",
  read: async ({ env }) => {
    const db = databaseOf(env);
    const [rows, [count]] = await db.batch([
      lastFailed(db, FAILED_MAX),
      db
        .select({ value: sql<number>`count(*)` })
        .from(webhookConfigs)
        .where(HAS_FAILED),
    ]);
    const total = count?.value ?? 0;
    return {
      samples: [
        sample(FAMILIES.workWaiting, total, DEACTIVATED),
        sample(FAMILIES.workOverdue, total, DEACTIVATED),
      ],
      problems: firstProblems(rows.map(problemOf), total),
    };
  },
  stuck: async ({ env }, max) => {
    const rows = await lastFailed(databaseOf(env), max);
    return rows.map((row) => ({
      ...problemOf(row),
      work: DEACTIVATED.work,
      path: CONFIG_PATH(row.id),
    }));
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
      path: (name) => `/api/webhooks/deliveries?configId=${encodeURIComponent(name)}`,
      severity: "warning",
      whatToDo:
        "look at the config's deliveries and their last errors, and repair the endpoint; deliveries are repeated by themselves",
    },
  ),
  queues,
  deactivated,
];
