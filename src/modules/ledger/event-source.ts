import { z } from "zod";
import { LedgerEvents } from "./ledger-events.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EntryCause, LedgerMessage } from "#platform/events/messages.ts";
import type { EventSource, RereadPart } from "#platform/events/source.ts";
import { log } from "#platform/log.ts";

const LogId = z.int().min(0);

/** The events of ledgers, which are their log entries. */
export const ledgerSource = (
  open: (context: ServiceContext) => Pick<LedgerEvents, "read" | "readBare" | "confirm">,
): EventSource<LedgerMessage> => ({
  name: "ledger",
  schema: z.object({
    source: z.literal("ledger"),
    ledger: z.string().min(1),
    uuid: z.string().min(1),
    from: LogId,
    to: LogId,
    causes: z.array(z.object({ from: LogId, to: LogId, cause: z.string() })).optional(),
  }),
  keyOf: ({ ledger, uuid }) => `${ledger} ${uuid}`,
  merge: mergeRanges,
  deliver: async ({ from, to, ledger, uuid, causes = [] }, { sink, context, signal }) => {
    const [ledgers, origin] = [open(context), { ledger, uuid }];
    for (let next = from; next <= to;) {
      signal.throwIfAborted();
      const first = next;
      const part = await unlessPurged(() =>
        sink.isBare === true
          ? ledgers.readBare(origin, first, to)
          : ledgers.read(origin, first, to),
      );
      if (part === undefined) {
        log("warn", "events that no longer exist were dropped", { ledger });
        return;
      }
      assertProgress(ledger, first, part.to);
      if (part.events.length > 0) {
        const events = withCauses(part.events, { uuid, causes });
        await sink(events, { source: "ledger", ...origin, from: first, to: part.to });
      }
      await unlessPurged(() => ledgers.confirm(origin, part.to));
      next = part.to + 1;
    }
  },
  confirm: async ({ to, ledger, uuid }, context) => {
    await unlessPurged(() => open(context).confirm({ ledger, uuid }, to));
  },
});

/**
 * Reads the first events of a message again, confirmed or not, as many as one call gives; undefined if the ledger was purged. Has no time
 * limit: objects that read often limit the call by a shared deadline.
 */
export async function rereadLedgerEvents(
  { from, to, ledger, uuid }: LedgerMessage,
  { env }: Pick<ServiceContext, "env">,
): Promise<RereadPart | undefined> {
  const part = await unlessPurged(() => new LedgerEvents(env).reread({ ledger, uuid }, from, to));
  if (part !== undefined) assertProgress(ledger, from, part.to);
  return part;
}

function assertProgress(ledger: string, from: number, to: number): void {
  if (to < from) throw new Error(`ledger ${ledger} gave no events from ${from} on`);
}

/** Does some work; undefined where the ledger was purged, so that it has no events, and none to confirm. */
async function unlessPurged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Tells events of a ledger what has caused them. */
function withCauses(
  events: readonly PlatformEvent[],
  { uuid, causes }: { readonly uuid: string; readonly causes: readonly EntryCause[] },
): readonly PlatformEvent[] {
  if (causes.length === 0) return events;
  return events.map((event) => {
    const logId = Number(event.id.slice(uuid.length + 1));
    const known = causes.find(({ from, to }) => from <= logId && logId <= to);
    return known === undefined ? event : { ...event, cause: known.cause };
  });
}

function joined(first: LedgerMessage, second: LedgerMessage): LedgerMessage {
  const causes = [...(first.causes ?? []), ...(second.causes ?? [])];
  const whole = { ...first, to: Math.max(first.to, second.to) };
  return causes.length === 0 ? whole : { ...whole, causes };
}

/** Joins ranges that overlap or touch, in ascending order. */
function mergeRanges(messages: readonly LedgerMessage[]): LedgerMessage[] {
  const merged: LedgerMessage[] = [];
  for (const message of messages.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || message.from > last.to + 1) merged.push(message);
    else merged[merged.length - 1] = joined(last, message);
  }
  return merged;
}
