import { and, type SQL } from "drizzle-orm";
import { type Actor, actorOf } from "./actor.ts";
import { formerAuthoritiesOf, type Holder } from "#modules/auth/authority/former.ts";
import { type Authority, isFull, refusalOf } from "#modules/auth/core/authority.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** The client or the person that a change is about. */
export interface Target extends Holder {
  /** The present authority; undefined for a target that the change makes. */
  readonly now?: Authority;
  /** The authority after the change; undefined if the change leaves or ends it. */
  readonly next?: Authority | undefined;
  /** Holds as long as the target is as it was read; undefined for a target that the change makes. */
  readonly stillIs?: SQL;
}

/** The permission for a change. */
export interface Permit {
  readonly actor: Actor;
  /** Holds as long as the actor and the target have the authority that was checked. It goes into the batch of the change. */
  readonly holds: SQL;
}

/**
 * The rule of all changes of clients and people: an actor who changes, deletes, resets or invites a target, or takes a secret of
 * it, needs its authority now and after the change, and every authority that it had while tokens of that time may live
 * (`refusalOf`). Throws `VALIDATION` with what the actor lacks, and `UNAUTHENTICATED` if the actor is gone.
 */
export async function permit(context: ServiceContext, target: Target): Promise<Permit> {
  const [actor, past] = await Promise.all([actorOf(context), formerAuthoritiesOf(context, target)]);
  const name = `the ${NAMES[target.kind]} '${target.id}'`;
  const refusal = refusalOf(actor.authority, { ...target, name, past });
  if (refusal !== undefined) throw new AppError("VALIDATION", refusal);
  return { actor, holds: and(actor.holds, target.stillIs) ?? actor.holds };
}

const NAMES = { client: "client", person: "user" } as const;

/** Refuses an actor without full authority, for changes that concern the tokens of all. Throws as `permit` does. */
export async function assertFull(context: ServiceContext, what: string): Promise<void> {
  const { authority } = await actorOf(context);
  if (isFull(authority)) return;
  throw new AppError(
    "VALIDATION",
    `${what}: only a client or a person who has all scopes, and is bound to no ledgers, may do so`,
  );
}

/** How often a change is decided anew when another one keeps coming first. */
const ATTEMPTS_MAX = 5;

/**
 * Repeats `attempt`, which reads, decides, and stores under the condition that nothing it has read was changed. `attempt` returns
 * undefined if the condition did not hold. Throws `CONFLICT` after some attempts.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < ATTEMPTS_MAX; count++) {
    const made = await attempt();
    if (made !== undefined) return made;
  }
  throw new AppError(
    "CONFLICT",
    "other requests change the same object at the same time; try again",
  );
}
