import { currentPrincipal } from "#modules/auth/index.ts";
import { isEventVisible } from "#modules/orchestration/triggers/matching/select.ts";
import type { OccurrenceEvent } from "#modules/orchestration/triggers/occurrence.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { scopesOfEvent } from "#platform/access/event-scopes.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { eventName } from "#platform/events/envelope.ts";
import { allows } from "#platform/http/authenticator.ts";

type Owned = Pick<Trigger, "id" | "principal">;

/** The owners of triggers with their present rights, by the triggers' ids; undefined for an owner who is gone. Each owner is read once. */
export async function currentOwners(
  context: Pick<ServiceContext, "env">,
  triggers: readonly Owned[],
): Promise<ReadonlyMap<string, Principal | undefined>> {
  const reading = new Map<string, Promise<Principal | undefined>>();
  const found = triggers.map(async ({ id, principal }) => {
    const key = toPrincipalColumn(principal);
    const now = reading.get(key) ?? currentPrincipal(context, principal);
    reading.set(key, now);
    return [id, await now] as const;
  });
  return new Map(await Promise.all(found));
}

/** A sentence that says why a trigger starts nothing, whatever the event is; undefined for a trigger that may start instances. */
export async function ownerErrorOf(
  context: Pick<ServiceContext, "env">,
  trigger: Owned,
): Promise<string | undefined> {
  const now = await currentPrincipal(context, trigger.principal);
  return now === undefined ? missingOwnerError(trigger) : lostRightsError(now);
}

/** A sentence that says that a trigger starts nothing because its owner is gone. */
export const missingOwnerError = ({ principal }: Owned): string =>
  `the owner of the trigger, ${nameOf(principal)}, is gone, so the trigger starts nothing; somebody who may do so has to create it anew`;

/** A sentence that says what the owner of a trigger has lost, so that nothing is started for an event; undefined where nothing is lost. */
export function lostRightsError(
  owner: Principal,
  event?: Pick<OccurrenceEvent, "app" | "type" | "payload">,
): string | undefined {
  const scopes = event === undefined ? [] : scopesOfEvent(eventName(event));
  const lost = (["orchestration:write", ...scopes] as const).find(
    (scope) => !allows(owner.scopes, scope),
  );
  const what = lost === undefined ? lostLedger(owner, event) : `the scope ${lost}`;
  if (what === undefined) return undefined;
  return `the owner of the trigger, ${nameOf(owner)}, has lost ${what}, so the trigger starts nothing`;
}

const lostLedger = (owner: Principal, event?: Pick<OccurrenceEvent, "app" | "payload">) =>
  event === undefined || isEventVisible(owner, event)
    ? undefined
    : "access to the ledger of the event";

const nameOf = ({ subject, clientId, isPerson }: Principal): string =>
  isPerson ? `the user '${subject}' of the client '${clientId}'` : `the client '${clientId}'`;
