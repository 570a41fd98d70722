import { type SQL, sql } from "drizzle-orm";
import { disarmedBySetting } from "./arming-watch.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { type AlarmStorage, setAlarm } from "#platform/objects/set-alarm.ts";

/**
 * Whether the work of an object's alarm has to wait, because the deployment is disarmed: all of it, or that of all connectors but some. In
 * this case the alarm is set for a little later. The object's `alarm` calls the function before it does anything.
 */
export async function waitsForArming(
  storage: AlarmStorage,
  env: Pick<Env, "DB">,
  connector?: string,
): Promise<boolean> {
  const arming = armingOf(env);
  if (await arming.mayCall(connector)) return false;
  await setAlarm(storage, Date.now() + (await arming.heldMs()));
  return true;
}

/** Throws `DISARMED` if a request would make calls, now or soon: those of a connector, or others. Use cases call it before they store anything. */
export const assertArmed = (
  { env }: { readonly env: Pick<Env, "DB"> },
  connector?: string,
): Promise<void> => armingOf(env).assertMayCall(connector);

/** The check of all calls of a deployment, or of those of a connector, which `callOutbound` makes before each call. */
export const outboundGate = (env: Pick<Env, "DB">, connector?: string) => (): Promise<void> =>
  armingOf(env).assertMayCall(connector);

/** The condition, in SQL, that the connector with a reference is armed. It holds at the very moment of its statement. */
export const isArmedInSql = (env: object, reference: SQL): SQL =>
  disarmedBySetting(env) === undefined
    ? sql`(
        NOT EXISTS (SELECT 1 FROM disarmament)
        OR ${reference} IN (SELECT a.reference FROM armed_connectors AS a))`
    : sql`FALSE`;
