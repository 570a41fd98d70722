import type { PipelineService } from "./pipeline-service.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { EventsMessage } from "#platform/events/messages.ts";
import type { EventListener } from "#platform/events/source.ts";

/** Wakes the pipelines of ledgers that have new entries. Pipelines read the entries by themselves, so that the listener wants no events. */
export const pipelineListener = (
  open: (context: ServiceContext) => Pick<PipelineService, "wake">,
): EventListener => ({
  wants: async () => false,
  open: async (messages, context) => {
    await open(context).wake(lastLogIds(messages));
    return undefined;
  },
});

/** The id of the last new entry of each ledger. */
function lastLogIds(messages: readonly EventsMessage[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const message of messages) {
    if (message.source !== "ledger") continue;
    const { ledger, to } = message;
    last.set(ledger, Math.max(to, last.get(ledger) ?? 0));
  }
  return last;
}
