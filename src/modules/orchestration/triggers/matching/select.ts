import type { TriggerCatalogue } from "./catalogue.ts";
import { fromJson } from "#expr";
import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { EVENT_LENGTH_MAX, type Match } from "#modules/orchestration/triggers/occurrences.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { scopesOfEvent } from "#platform/access/event-scopes.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import { allows } from "#platform/http/authenticator.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { log } from "#platform/log.ts";

export interface Selection {
  /** Triggers that fire without an evaluation. */
  readonly matches: readonly Match[];
  /** Events for which filters have to be evaluated. */
  readonly owed: readonly EventForLane[];
}

/** An event, and the triggers whose filters have to be evaluated for it. */
export interface EventForLane {
  readonly event: PlatformEvent;
  readonly text: string;
  readonly triggers: readonly Trigger[];
}

/** Selects triggers by their index. No filter is evaluated here. */
export function selectEvents(
  triggers: TriggerCatalogue,
  events: readonly PlatformEvent[],
): Selection {
  const matches: Match[] = [];
  const owed: EventForLane[] = [];
  for (const event of events) {
    const index = triggers.indexOf(event.type);
    const read = index === undefined ? undefined : wireForm(event);
    if (index === undefined || read === undefined) continue;
    // A lane does not take a longer event, whose filter is not evaluated: its occurrence fails and says so.
    const isLong = read.text.length > EVENT_LENGTH_MAX;
    const candidates = index
      .candidates(fromJson(read.payload))
      .filter(({ trigger }) => isFor(trigger, event));
    const { now = [], later = [] } = Object.groupBy(candidates, ({ isDecided }) =>
      isDecided || isLong ? "now" : "later",
    );
    for (const { trigger } of now) matches.push({ trigger, event, verdict: "fires" });
    if (later.length === 0) continue;
    owed.push({ event, text: read.text, triggers: later.map(({ trigger }) => trigger) });
  }
  return { matches, owed };
}

/** The events for lanes, by the owners of their triggers. */
export function groupByOwner(owed: readonly EventForLane[]): Map<string, LaneEvent[]> {
  const found = new Map<string, LaneEvent[]>();
  for (const { event, text, triggers } of owed) {
    for (const [owner, those] of Map.groupBy(triggers, ownerOf)) {
      const events = found.get(owner) ?? [];
      events.push({ id: event.id, text, triggers: those.map(({ key }) => key) });
      found.set(owner, events);
    }
  }
  return found;
}

/** Names the principal to whose budget the work of a trigger counts, by the client and subject that have created the trigger. */
export const ownerOf = ({
  principal: { issuer, subject, clientId },
}: {
  readonly principal: Pick<Principal, "issuer" | "subject" | "clientId">;
}): string => stringifyJson([issuer, subject, clientId]);

function isFor({ version, principal }: Trigger, found: PlatformEvent): boolean {
  if (version !== undefined && version !== found.version) return false;
  // A trigger sees only events that its creator may see.
  return (
    scopesOfEvent(eventName(found)).every((scope) => allows(principal.scopes, scope)) &&
    isEventVisible(principal, found)
  );
}

/** Whether a principal's binding to ledgers lets it see an event. */
export function isEventVisible(
  { ledgers }: Pick<Principal, "ledgers">,
  { app, payload }: Pick<PlatformEvent, "app" | "payload">,
): boolean {
  const ledger = ledgerOf(payload);
  if (ledger !== undefined) return allowsLedger(ledgers, ledger);
  return ledgers.length === 0 || app === OPEN_APP;
}

/** The module whose events are about no ledger, and which principals that are bound to ledgers may see all the same. */
const OPEN_APP = "payments";

/** The ledger that an event is about, as its payload says. */
function ledgerOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || !("ledger" in payload)) return undefined;
  return typeof payload.ledger === "string" ? payload.ledger : undefined;
}

/** An event in its wire form. An event that cannot be read fires nothing, and holds up no other event. */
function wireForm(event: PlatformEvent): { text: string; payload: unknown } | undefined {
  try {
    const text = stringifyJson({ ...event, payload: event.payload ?? null });
    return { text, payload: (parseJson(text) as PlatformEvent).payload };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    log("error", "an event that cannot be read fires no trigger", { event: event.id });
    return undefined;
  }
}
