import { and, eq, gte, isNull, lt, sql } from "drizzle-orm";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

export interface LaneFilter {
  readonly ids?: readonly string[] | undefined;
  /** Text with which the ids begin. */
  readonly prefix?: string;
  readonly isActive?: boolean;
  readonly isDeleted?: false;
}

/** The event types that a config subscribes to, and what its lane has to know. */
export interface Subscription {
  readonly spec: LaneSpec;
  readonly eventTypes: ReadonlySet<string>;
}

/** The parts of configs that lanes and the fan-out of events have to know. They are read without secrets. */
export class LaneSpecs {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): LaneSpecs {
    return new LaneSpecs(databaseOf(env));
  }

  /** The active configs, which events are matched against. */
  async listSubscriptions(): Promise<Subscription[]> {
    const rows = await this.#db
      .select({ ...SPEC_COLUMNS, eventTypes: webhookConfigs.eventTypes })
      .from(webhookConfigs)
      .where(and(isNull(webhookConfigs.deletedAt), eq(webhookConfigs.active, true)));
    return rows.map((row) => ({
      spec: toSpec(row),
      eventTypes: new Set(toEventTypes(row.eventTypes)),
    }));
  }

  /** The ids of the configs that match a filter, including deleted configs, which may still have deliveries. */
  async listIds({ ids, prefix, isActive, isDeleted }: LaneFilter): Promise<string[]> {
    const rows = await this.#db
      .select({ id: webhookConfigs.id })
      .from(webhookConfigs)
      .where(
        and(
          ids === undefined
            ? undefined
            : sql`${webhookConfigs.id} IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
          prefix === undefined
            ? undefined
            : and(gte(webhookConfigs.id, prefix), lt(webhookConfigs.id, `${prefix}~`)),
          isActive === undefined ? undefined : eq(webhookConfigs.active, isActive),
          isDeleted === undefined ? undefined : isNull(webhookConfigs.deletedAt),
        ),
      );
    return rows.map(({ id }) => id);
  }

  /** The part of a config that its object knows, also of a deleted config; undefined if the config's row is gone. */
  async find(id: string): Promise<LaneSpec | undefined> {
    const [row] = await this.#db
      .select(SPEC_COLUMNS)
      .from(webhookConfigs)
      .where(eq(webhookConfigs.id, id));
    return row === undefined ? undefined : toSpec(row);
  }
}

/** The columns that make up a `LaneSpec`. */
const SPEC_COLUMNS = {
  id: webhookConfigs.id,
  revision: webhookConfigs.revision,
  endpoint: webhookConfigs.endpoint,
  active: webhookConfigs.active,
  endedRevision: webhookConfigs.endedRevision,
  hasFailed: webhookConfigs.hasFailed,
  deletedAt: webhookConfigs.deletedAt,
};

const toSpec = ({
  id,
  deletedAt,
  revision,
  endpoint,
  active,
  endedRevision,
  hasFailed,
}: Pick<typeof webhookConfigs.$inferSelect, keyof typeof SPEC_COLUMNS>): LaneSpec => ({
  configId: id,
  revision,
  endpoint,
  active,
  endedRevision,
  hasFailed,
  isDeleted: deletedAt !== null,
});

/** `stringifyJson` has written a list of texts into the column. */
export const toEventTypes = (json: string): readonly string[] =>
  parseJson(json) as readonly string[];
