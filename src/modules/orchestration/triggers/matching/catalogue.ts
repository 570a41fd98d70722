import { eq } from "drizzle-orm";
import { filtersOf, type TriggerFilter } from "./filter.ts";
import { PredicateIndex } from "./predicate-index.ts";
import { isListed, triggerRows } from "#modules/orchestration/triggers/store.ts";
import { orchestrationTriggerGeneration } from "#modules/orchestration/triggers/tables.ts";
import { toTrigger, type Trigger } from "#modules/orchestration/triggers/trigger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { memoByEnv } from "#platform/memo.ts";

/** The triggers of one generation, without deleted ones. A generation ends with the next creation or deletion of a trigger. */
export class TriggerCatalogue {
  /** Names the generation; undefined before the first trigger. */
  readonly generation: string | undefined;
  /** Filters by the keys of their triggers. */
  readonly filters: ReadonlyMap<number, TriggerFilter>;
  readonly #byType: ReadonlyMap<string, readonly TriggerFilter[]>;
  readonly #indexes = new Map<string, PredicateIndex>();

  constructor(env: object, generation: string | undefined, triggers: readonly Trigger[]) {
    const filters = filtersOf(env, triggers);
    this.generation = generation;
    this.filters = new Map(filters.map((filter) => [filter.trigger.key, filter]));
    this.#byType = Map.groupBy(filters, ({ trigger }) => trigger.event);
  }

  get isEmpty(): boolean {
    return this.filters.size === 0;
  }

  /** The index of the triggers for a type of events; undefined where the type has no triggers. */
  indexOf(type: string): PredicateIndex | undefined {
    const filters = this.#byType.get(type);
    if (filters === undefined) return undefined;
    const index = this.#indexes.get(type) ?? new PredicateIndex(filters);
    this.#indexes.set(type, index);
    return index;
  }
}

/** The catalogue that an isolate has read last, if it has read one. */
const heldBy = memoByEnv((_env: Env): { catalogue?: TriggerCatalogue } => ({}));

/**
 * The triggers as they are now. One row is read, which has the generation. Triggers are read again only in a new generation, so that events
 * cost the same reads however many triggers there are.
 */
export async function currentTriggers({
  env,
}: Pick<ServiceContext, "env">): Promise<TriggerCatalogue> {
  const db = databaseOf(env);
  const held = heldBy(env);
  const [row] = await generationRow(db);
  if (held.catalogue !== undefined && held.catalogue.generation === row?.generation) {
    return held.catalogue;
  }
  // One batch reads the generation and the triggers, so that they belong together.
  const [rows, triggers] = await db.batch([generationRow(db), triggerRows(db).where(isListed)]);
  held.catalogue = new TriggerCatalogue(env, rows[0]?.generation, triggers.map(toTrigger));
  return held.catalogue;
}

const ONE = 1;

const generationRow = (db: Database) =>
  db
    .select({ generation: orchestrationTriggerGeneration.generation })
    .from(orchestrationTriggerGeneration)
    .where(eq(orchestrationTriggerGeneration.one, ONE));

/** The statement that begins a generation, for the batch that creates or deletes a trigger. */
export function beginGeneration(db: Database) {
  const generation = newId();
  return db
    .insert(orchestrationTriggerGeneration)
    .values({ one: ONE, generation })
    .onConflictDoUpdate({ target: orchestrationTriggerGeneration.one, set: { generation } });
}
