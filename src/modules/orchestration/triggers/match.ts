import { linkFunction } from "./link-function.ts";
import type { Trigger } from "./trigger.ts";
import {
  type CompiledExpression,
  evaluateExpression,
  type ExprValue,
  fromJson,
  momentAt,
  parseExpression,
} from "#expr";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { allows } from "#platform/http/authenticator.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { log } from "#platform/log.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/**
 * What a filter says to an event. Where it reads links, or the events before have taken all the work, it is not known yet: that takes
 * longer than the other consumers of events can wait.
 */
type Verdict = "fires" | "unknown" | "passes";

export interface Match {
  readonly trigger: Trigger;
  readonly event: PlatformEvent;
  readonly verdict: Exclude<Verdict, "passes">;
}

/** Most steps that a trigger's filter takes for all events that come together, of which there are hundreds at most. */
const STEPS_MAX = 1_000_000;

/** Which triggers fire for which of some events. A filter that fails lets nothing through, and the log tells it. */
export function matchEvents(
  triggers: readonly Trigger[],
  events: readonly PlatformEvent[],
  now: Timestamp,
): Match[] {
  const payloads = new Map<string, ExprValue | undefined>();
  const payloadOf = (event: PlatformEvent): ExprValue | undefined => {
    if (!payloads.has(event.id)) payloads.set(event.id, wireForm(event));
    return payloads.get(event.id);
  };
  return triggers.flatMap((trigger) => {
    const filter = new Filter(trigger, now);
    return events
      .filter((event) => isFor(trigger, event))
      .flatMap((event) => {
        const payload = payloadOf(event);
        const verdict = payload === undefined ? "passes" : filter.judge(payload);
        return verdict === "passes" ? [] : [{ trigger, event, verdict }];
      });
  });
}

function isFor({ event, version, principal }: Trigger, found: PlatformEvent): boolean {
  if (event !== found.type || (version !== undefined && version !== found.version)) return false;
  // A trigger sees no more than its creator may see.
  const { ledgers, scopes } = principal;
  if (!allows(scopes, `${found.app}:read`)) return false;
  const ledger = ledgerOf(found.payload);
  if (ledger !== undefined) return allowsLedger(ledgers, ledger);
  return ledgers.length === 0 || found.app === OPEN_APP;
}

/** The module whose events are about no ledger, and that is open to principals who are bound to some, as payments are in none. */
const OPEN_APP = "payments";

/** The ledger that an event is about, as its payload says. */
function ledgerOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || !("ledger" in payload)) return undefined;
  return typeof payload.ledger === "string" ? payload.ledger : undefined;
}

/** A payload as its consumers read it. One that cannot be read fires nothing, and holds up no other event. */
function wireForm({ id, payload }: PlatformEvent): ExprValue | undefined {
  try {
    return fromJson(parseJson(stringifyJson(payload ?? null)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    log("error", "an event that cannot be read fires no trigger", { event: id });
    return undefined;
  }
}

class Filter {
  readonly #trigger: Trigger;
  readonly #now: Timestamp;
  readonly #expression: CompiledExpression | undefined;
  #steps = 0;
  #hasFailed = false;

  constructor(trigger: Trigger, now: Timestamp) {
    this.#trigger = trigger;
    this.#now = now;
    const { filter } = trigger;
    if (filter === undefined) return;
    const parsed = parseExpression(filter);
    if (parsed.ok) this.#expression = parsed.expression;
    else this.#fail(parsed.diagnostic.message);
  }

  judge(payload: ExprValue): Verdict {
    if (this.#trigger.filter === undefined) return "fires";
    if (this.#expression === undefined) return "passes";
    const stepsMax = STEPS_MAX - this.#steps;
    if (stepsMax <= 0) return "unknown";
    const result = evaluateExpression(this.#expression, {
      names: { event: payload },
      functions: { link: (args) => linkFunction(args, NO_LINKS) },
      now: () => momentAt(toMicros(this.#now)),
      stepsMax,
    });
    this.#steps += result.steps;
    switch (result.kind) {
      case "value":
        return result.value === true ? "fires" : "passes";
      case "pending":
        return "unknown";
      case "error":
        // It may end with the work that one evaluation may take.
        if (this.#steps > STEPS_MAX) return "unknown";
        this.#fail(result.diagnostic.message);
        return "passes";
    }
  }

  /** The log tells the first failure only: a filter that fails once may do so for each event. */
  #fail(message: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { id } = this.#trigger;
    log("warn", "the filter of a trigger failed", { trigger: id, error: message.slice(0, 500) });
  }
}

const NO_LINKS: ReadonlyMap<string, ExprValue> = new Map();
