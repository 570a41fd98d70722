import { asc } from "drizzle-orm";
import { type LookupState, readLookups } from "#modules/payments/index.ts";
import { disarmedBySetting } from "#platform/arming/arming-watch.ts";
import { armedConnectors, disarmament, type DisarmReason } from "#platform/arming/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** A connector that is armed by itself, with its look-up if the deployment was restored. */
export type ArmedConnector = typeof armedConnectors.$inferSelect & {
  readonly lookup?: LookupState;
};

/** Whether the deployment is disarmed, since when, by whom and why, and which connectors are armed nevertheless. */
export interface Arming {
  /** Why the setting `FLORIN_DISARMED` disarms the deployment, whatever D1 says; undefined if it does not. */
  readonly setting: DisarmReason | undefined;
  /** What D1 says; undefined for a deployment that nobody has disarmed. */
  readonly disarmed: typeof disarmament.$inferSelect | undefined;
  readonly connectors: readonly ArmedConnector[];
}

/** Reads the state, from D1 in one transaction, and then the look-ups. */
export async function readArmingOf(context: Pick<ServiceContext, "env">): Promise<Arming> {
  const { env } = context;
  const db = databaseOf(env);
  const [[disarmed], connectors] = await db.batch([
    db.select().from(disarmament),
    db.select().from(armedConnectors).orderBy(asc(armedConnectors.reference)),
  ]);
  const setting = disarmedBySetting(env);
  const isWhole = setting !== undefined || disarmed === undefined;
  if (isWhole || connectors.length === 0) return { setting, disarmed, connectors: [] };
  const lookups = new Map((await readLookups(context)).map((lookup) => [lookup.reference, lookup]));
  return {
    setting,
    disarmed,
    connectors: connectors.map((connector) => {
      const lookup = lookups.get(connector.reference);
      return lookup === undefined ? connector : { ...connector, lookup };
    }),
  };
}
