import type { RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/** The scope that a principal lacks to read the events on which a schedule runs a rule, in words; undefined where it lacks none. */
export function lackingEvents(
  { scopes }: Pick<Principal, "scopes">,
  schedule: RuleSchedule | undefined,
): string | undefined {
  if (schedule?.kind !== "events") return undefined;
  const needed = schedule.types.map((type): Scope => {
    const [app = ""] = type.split(".");
    return `${app}:read`;
  });
  const scope = needed.find((one) => !allows(scopes, one));
  return scope === undefined ? undefined : `the scope ${scope}`;
}

/** Throws `UNAUTHENTICATED` for a principal that may not read the events on which a schedule runs a rule. */
export function assertReadsEvents(
  principal: Pick<Principal, "scopes">,
  schedule: RuleSchedule | undefined,
): void {
  const lacking = lackingEvents(principal, schedule);
  if (lacking !== undefined) {
    throw outOfReach(`the rule runs on events that you may not read. You lack: ${lacking}`);
  }
}
