import { asc } from "drizzle-orm";
import { type LookupState, readLookups } from "#modules/payments/index.ts";
import { disarmedBySetting } from "#platform/arming/arming-watch.ts";
import { armedConnectors, disarmament, type DisarmReason } from "#platform/arming/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

/** Who has armed a connector by itself. */
type ArmedBy = Pick<typeof armedConnectors.$inferSelect, "issuer" | "subject" | "clientId">;

/** A connector that is armed by itself, or whose look-up is under way, with its look-up if the deployment was restored. */
export interface ArmedConnector {
  readonly reference: string;
  /** The id of the connector in the API. */
  readonly connectorId: string;
  readonly armedAt: Timestamp;
  /** Absent for a connector that was armed with everything. */
  readonly by?: ArmedBy;
  readonly lookup?: LookupState;
}

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
  if (setting !== undefined) return { setting, disarmed, connectors: [] };
  const lookups = new Map((await readLookups(context)).map((lookup) => [lookup.reference, lookup]));
  if (disarmed === undefined) {
    // Look-ups that have begun go on when everything is armed.
    const looking = [...lookups.values()].filter(({ endedAt }) => endedAt === null);
    return {
      setting,
      disarmed,
      connectors: looking.map((lookup) => ({
        reference: lookup.reference,
        connectorId: lookup.connectorId,
        armedAt: lookup.beganAt,
        lookup,
      })),
    };
  }
  return {
    setting,
    disarmed,
    connectors: connectors.map(({ reference, connectorId, armedAt, ...by }) => {
      const lookup = lookups.get(reference);
      const armed = { reference, connectorId, armedAt, by };
      return lookup === undefined ? armed : { ...armed, lookup };
    }),
  };
}
