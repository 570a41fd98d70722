import { asc } from "drizzle-orm";
import { armedConnectors, disarmament } from "#platform/arming/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Whether the deployment is disarmed, since when, by whom and why, and which connectors are armed nevertheless. */
export interface Arming {
  /** Undefined for a deployment that is armed. */
  readonly disarmed: typeof disarmament.$inferSelect | undefined;
  readonly connectors: readonly (typeof armedConnectors.$inferSelect)[];
}

/** Reads the state from D1, in one transaction. */
export async function readArmingOf({ env }: Pick<ServiceContext, "env">): Promise<Arming> {
  const db = databaseOf(env);
  const [[disarmed], connectors] = await db.batch([
    db.select().from(disarmament),
    db.select().from(armedConnectors).orderBy(asc(armedConnectors.reference)),
  ]);
  return { disarmed, connectors: disarmed === undefined ? [] : connectors };
}
