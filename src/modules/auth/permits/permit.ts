import { and, type SQL } from "drizzle-orm";
import { type Actor, actorOf } from "./actor.ts";
import { formerOf, type Holder } from "#modules/auth/authority/former.ts";
import { type Authority, isFull, refusalOf } from "#modules/auth/core/authority.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Whom a change touches. */
export interface Target extends Holder {
  /** What it may do now; undefined for one that is made. */
  readonly now?: Authority;
  /** What it will be able to do; undefined where that stays as it is, or ends. */
  readonly next?: Authority | undefined;
  /** Holds as long as it is as it was read; undefined for one that is made. */
  readonly stillIs?: SQL;
}

/** That somebody may make a change. */
export interface Permit {
  readonly actor: Actor;
  /**
   * Holds as long as whoever acts, and whoever is touched, may do what they could when it was given. It belongs into the batch of the
   * change.
   */
  readonly holds: SQL;
}

/**
 * The rule of all changes of clients and people, in one place: whoever changes, deletes, resets or invites one, or takes a secret of one,
 * needs what it may do now, what it would be able to do, and what it could do as long as the tokens of that time live. Throws
 * `VALIDATION` with what is lacking, and `UNAUTHENTICATED` where whoever acts is gone.
 */
export async function permit(context: ServiceContext, target: Target): Promise<Permit> {
  const [actor, past] = await Promise.all([actorOf(context), formerOf(context, target)]);
  const name = `the ${NAMES[target.kind]} '${target.id}'`;
  const refusal = refusalOf(actor.authority, { ...target, name, past });
  if (refusal !== undefined) throw new AppError("VALIDATION", refusal);
  return { actor, holds: and(actor.holds, target.stillIs) ?? actor.holds };
}

const NAMES = { client: "client", person: "user" } as const;

/** Refuses whoever cannot do everything: for a change that concerns the tokens of all. Throws as `permit` does. */
export async function assertFull(context: ServiceContext, what: string): Promise<void> {
  const { authority } = await actorOf(context);
  if (isFull(authority)) return;
  throw new AppError(
    "VALIDATION",
    `${what}: whoever does so has all scopes and is bound to no ledgers`,
  );
}

/** How often a change is decided anew where somebody else was faster each time. */
const ATTEMPTS_MAX = 5;

/**
 * Makes a change by what it finds: reads, decides, and stores under the condition that what was read is still so. `attempt` gives
 * undefined where it is not, and is then repeated. Throws `CONFLICT` after some attempts.
 */
export async function decideAnew<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < ATTEMPTS_MAX; count++) {
    const made = await attempt();
    if (made !== undefined) return made;
  }
  throw new AppError("CONFLICT", "others change the same at the same time; try again");
}
