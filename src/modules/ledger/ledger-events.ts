import { toBareEvents, toPlatformEvents, toWrittenEvents } from "./events.ts";
import { ledgerObject } from "./object-calls.ts";
import type { EntryHead } from "#ledger-engine";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";
import type { RereadPart } from "#platform/events/source.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";

/** Options of calls by the consumer of events, which must not wait for a ledger that hangs. A confirmation may be repeated. */
const EVENTS_OF_LEDGER: ObjectCall = { object: "ledger", isRepeatable: true, timeoutMs: 10_000 };
const EVENTS_AGAIN: ObjectCall = { object: "ledger", isRepeatable: true };

interface EventsPart {
  readonly events: readonly PlatformEvent[];
  /** The last entry of the range up to which the part is complete. */
  readonly to: number;
}

/**
 * Reads the events of ledgers, and confirms them, for the code that delivers them. Ranges name entries of a log, the first and the last
 * one included. All methods throw `LEDGER_NOT_FOUND` for a ledger that was purged, and `OVERLOADED` if the ledger's object does not answer.
 */
export class LedgerEvents {
  readonly #env: Pick<Env, "LEDGERS">;

  constructor(env: Pick<Env, "LEDGERS">) {
    this.#env = env;
  }

  /** The first events of a range, as many as one call gives. Confirmed events may be left out. */
  async read({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<EventsPart> {
    const { info, entries, causationDepths, publishedLogId } = await callObject(
      ledgerObject(this.#env, ledger).readLogs(from, to, uuid),
      EVENTS_OF_LEDGER,
    );
    const events = toPlatformEvents(info, entries, causationDepths);
    return { events, to: endOf(entries, publishedLogId, to) };
  }

  /** The first events of a range without their payloads. One call gives more of them than `read` does. Confirmed events may be left out. */
  async readBare({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<EventsPart> {
    const { heads, publishedLogId } = await callObject(
      ledgerObject(this.#env, ledger).readHeads(from, to, uuid),
      EVENTS_OF_LEDGER,
    );
    return { events: toBareEvents(uuid, heads), to: endOf(heads, publishedLogId, to) };
  }

  /** The first events of a range as JSON texts, confirmed ones included. The call has no time limit of its own; its caller sets one. */
  async reread({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<RereadPart> {
    const entries = await callObject(
      ledgerObject(this.#env, ledger).readWritten(from, to, uuid),
      EVENTS_AGAIN,
    );
    return { events: toWrittenEvents(uuid, entries), to: endOf(entries, 0, to) };
  }

  /** Notes in the ledger that consumers have stored all effects of the events up to an entry. A repeated or late call changes nothing. */
  async confirm({ ledger, uuid }: LedgerOrigin, to: number): Promise<void> {
    await callObject(ledgerObject(this.#env, ledger).confirmPublished(to, uuid), EVENTS_OF_LEDGER);
  }
}

/**
 * The last id of a range that was read. Ids have gaps: where no entry is left, the whole range counts as read. A repeated message goes on
 * where the first one stopped.
 */
const endOf = (
  heads: readonly Pick<EntryHead, "id">[],
  publishedLogId: number,
  to: number,
): number => Math.min(Math.max(heads.at(-1)?.id ?? to, publishedLogId), to);
