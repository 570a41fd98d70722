import { z } from "zod";
import type { LedgerService } from "./service.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { LedgerMessage } from "#platform/events/messages.ts";
import type { EventSource } from "#platform/events/source.ts";

type LedgerEvents = Pick<LedgerService, "readEvents" | "confirmEvents">;

const LogId = z.int().min(0);

/** The events of ledgers, which are their log entries. */
export const ledgerSource = (
  open: (context: ServiceContext) => LedgerEvents,
): EventSource<LedgerMessage> => ({
  name: "ledger",
  schema: z.object({
    source: z.literal("ledger"),
    ledger: z.string().min(1),
    uuid: z.string().min(1),
    from: LogId,
    to: LogId,
  }),
  keyOf: ({ ledger, uuid }) => `${ledger} ${uuid}`,
  merge: mergeRanges,
  read: (message, context) =>
    unlessPurged(async () => {
      const { from, to, ...origin } = message;
      const { events, to: end } = await open(context).readEvents(origin, from, to);
      if (end < from) throw new Error(`ledger ${origin.ledger} gave no events from ${from} on`);
      const rest = end < to ? { ...message, from: end + 1 } : undefined;
      return { events, read: { ...message, to: end }, rest };
    }),
  confirm: async ({ to, ...origin }, context) => {
    await unlessPurged(() => open(context).confirmEvents(origin, to));
  },
});

/** Of a ledger that was purged, there are no events, and nothing is to be confirmed. */
async function unlessPurged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Joins ranges that overlap or touch, in ascending order. */
function mergeRanges(messages: readonly LedgerMessage[]): LedgerMessage[] {
  const merged: LedgerMessage[] = [];
  for (const message of messages.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || message.from > last.to + 1) merged.push(message);
    else merged[merged.length - 1] = { ...last, to: Math.max(last.to, message.to) };
  }
  return merged;
}
