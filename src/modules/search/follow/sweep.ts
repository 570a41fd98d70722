import { asc, gt } from "drizzle-orm";
import { closeGap, type Gap, listGaps } from "./gaps.ts";
import { ledgers } from "#modules/catalogue/index.ts";
import { type ListedKind, readList } from "#modules/search/api/lists.ts";
import { asReader } from "#modules/search/api/reader.ts";
import { indexedObject } from "#modules/search/core/indexed.ts";
import { EVENT_KINDS, isKind, type Kind } from "#modules/search/core/kinds.ts";
import { searchSettings } from "#modules/search/settings.ts";
import type { IndexTask } from "#modules/search/shards/shard.ts";
import { callShard, shardObject, shardOf, SHARD_NUMBERS } from "#modules/search/shards/shards.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { logError } from "#platform/log.ts";

/** How long one sweep begins work, in milliseconds. The next sweep goes on at once. */
const SWEEP_MS_MAX = 25_000;
/** Most ledgers of the catalogue that are read at once. */
const LEDGERS_PER_PAGE = 1000;

/** Whether a part of the sweep's work is done; `more` where time is up. */
type Progress = "done" | "more";

/**
 * Does for the shards of the index what they cannot do themselves: repairs gaps, tells them of ledgers that are in the catalogue, and reads
 * the lists of modules in D1 into indexes that have not got them. Returns the time of the next run, in milliseconds since the epoch.
 */
export async function sweepSearch(context: ServiceContext): Promise<number | undefined> {
  if (searchSettings.of(context.env).FLORIN_SEARCH === "off") return undefined;
  const untilMs = Date.now() + SWEEP_MS_MAX;
  const reader = asReader(context);
  const gaps = await repairGaps(reader);
  let progress: Progress = "done";
  for (const shard of SHARD_NUMBERS) {
    for (const task of await callShard(shardObject(context.env, shard).tasks())) {
      if ((await doTask(reader, { shard, task, untilMs })) === "more") progress = "more";
    }
  }
  if (progress === "more") return Date.now();
  return gaps === "more" ? Date.now() + GAP_RETRY_MS : undefined;
}

/** How long after a failed repair the sweep tries again, in milliseconds. */
const GAP_RETRY_MS = 30_000;

async function repairGaps(context: ServiceContext): Promise<Progress> {
  let progress: Progress = "done";
  for (const gap of await listGaps(context)) {
    try {
      await repairGap(context, gap);
      await closeGap(context, gap);
    } catch (error) {
      logError("a gap of the search could not be repaired; the sweep tries again", error, {
        origin: gap.origin,
      });
      progress = "more";
    }
  }
  return progress;
}

async function repairGap({ env }: ServiceContext, { origin, ledger }: Gap): Promise<void> {
  if (isKind(origin)) await callShard(shardObject(env, shardOf(origin)).rewalk(origin));
  else {
    const named = { name: ledger, uuid: origin };
    await callShard(shardObject(env, shardOf(ledger)).advance(named));
  }
}

interface ShardTask {
  readonly shard: number;
  readonly task: IndexTask;
  readonly untilMs: number;
}

async function doTask(context: ServiceContext, work: ShardTask): Promise<Progress> {
  const listed = await registerLedgers(context, work);
  let progress = listed;
  for (const { kind, cursor } of work.task.walks) {
    const walked = await walkList(context, work, { kind, cursor });
    if (walked === "more") progress = "more";
  }
  return progress;
}

/** Tells a shard of its ledgers that were added to the catalogue. */
async function registerLedgers(
  { env }: ServiceContext,
  { shard, task: { generation, catalogue }, untilMs }: ShardTask,
): Promise<Progress> {
  for (let from = catalogue; Date.now() < untilMs;) {
    const rows = await databaseOf(env)
      .select({ id: ledgers.id, name: ledgers.name, uuid: ledgers.uuid })
      .from(ledgers)
      .where(gt(ledgers.id, from))
      .orderBy(asc(ledgers.id))
      .limit(LEDGERS_PER_PAGE);
    from = rows.at(-1)?.id ?? from;
    const isLast = rows.length < LEDGERS_PER_PAGE;
    const own = rows
      .filter(({ name }) => shardOf(name) === shard)
      .map(({ name, uuid }) => ({ name, uuid }));
    const listed = { catalogue: from, isLast };
    await callShard(shardObject(env, shard).register(generation, own, listed));
    if (isLast) return "done";
  }
  return "more";
}

/** Reads the list of a kind into an index, from a cursor on. */
async function walkList(
  context: ServiceContext,
  { shard, task: { generation }, untilMs }: ShardTask,
  { kind, cursor }: { readonly kind: Kind; readonly cursor: string },
): Promise<Progress> {
  if (!EVENT_KINDS.includes(kind)) return "done";
  for (let at: string | null = cursor; Date.now() < untilMs;) {
    const page = await readList(context, kind as ListedKind, at); // kinds of events have lists
    const next = page?.next ?? null;
    const objects = (page?.objects ?? []).flatMap((object) =>
      typeof object.id === "string" ? indexedObject(kind, object.id, object) : [],
    );
    const loaded = { kind, objects, next };
    await callShard(shardObject(context.env, shard).load(generation, loaded));
    if (next === null) return "done";
    at = next;
  }
  return "more";
}
