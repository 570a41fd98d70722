import { asc } from "drizzle-orm";
import { disarmedBySetting } from "#platform/arming/arming-watch.ts";
import { armedConnectors, disarmament, type DisarmReason } from "#platform/arming/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Whether the deployment is disarmed, since when, by whom and why, and which connectors are armed nevertheless. */
export interface Arming {
  /** Why the setting `FLORIN_DISARMED` disarms the deployment, whatever D1 says; undefined if it does not. */
  readonly setting: DisarmReason | undefined;
  /** What D1 says; undefined for a deployment that nobody has disarmed. */
  readonly disarmed: typeof disarmament.$inferSelect | undefined;
  readonly connectors: readonly (typeof armedConnectors.$inferSelect)[];
}

/** Reads the state, from D1 in one transaction. */
export async function readArmingOf({ env }: Pick<ServiceContext, "env">): Promise<Arming> {
  const db = databaseOf(env);
  const [[disarmed], connectors] = await db.batch([
    db.select().from(disarmament),
    db.select().from(armedConnectors).orderBy(asc(armedConnectors.reference)),
  ]);
  const setting = disarmedBySetting(env);
  const isWhole = setting !== undefined || disarmed === undefined;
  return { setting, disarmed, connectors: isWhole ? [] : connectors };
}
