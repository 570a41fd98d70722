import { toBareEvents, toPlatformEvents, toWrittenEvents } from "./events.ts";
import { ledgerObject } from "./object-calls.ts";
import type { EntryHead } from "#ledger-engine";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";
import type { RereadPart } from "#platform/events/source.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";

/** Options of calls by the consumer of events, which must not wait for a ledger that hangs. To confirm events twice changes nothing. */
const EVENTS_OF_LEDGER: ObjectCall = { object: "ledger", isRead: true, timeoutMs: 10_000 };
const EVENTS_AGAIN: ObjectCall = { object: "ledger", isRead: true };

interface EventsPart {
  readonly events: readonly PlatformEvent[];
  readonly to: number;
}

/** Reads the events of ledgers, and confirms them, for the code that delivers them. */
export class LedgerEvents {
  readonly #env: Pick<Env, "LEDGERS">;

  constructor(env: Pick<Env, "LEDGERS">) {
    this.#env = env;
  }

  /** Events of a range of log entries: as many as one call gives, and the last entry that they reach. Confirmed events may be left out. */
  async read({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<EventsPart> {
    const { info, entries, causationDepths, publishedLogId } = await callObject(
      ledgerObject(this.#env, ledger).readLogs(from, to, uuid),
      EVENTS_OF_LEDGER,
    );
    const events = toPlatformEvents(info, entries, causationDepths);
    return { events, to: endOf(entries, publishedLogId, to) };
  }

  /** Events of a range of log entries without payloads, of which one call gives more. */
  async readBare({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<EventsPart> {
    const { heads, publishedLogId } = await callObject(
      ledgerObject(this.#env, ledger).readHeads(from, to, uuid),
      EVENTS_OF_LEDGER,
    );
    return { events: toBareEvents(uuid, heads), to: endOf(heads, publishedLogId, to) };
  }

  /**
   * Events of a range of log entries in the written form, confirmed ones included. The call has no time limit of its own; its caller sets
   * one.
   */
  async reread({ ledger, uuid }: LedgerOrigin, from: number, to: number): Promise<RereadPart> {
    const entries = await callObject(
      ledgerObject(this.#env, ledger).readWritten(from, to, uuid),
      EVENTS_AGAIN,
    );
    return { events: toWrittenEvents(uuid, entries), to: endOf(entries, 0, to) };
  }

  /** Stores that everything that follows from the events up to a log entry is stored. */
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
