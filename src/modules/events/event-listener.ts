import type { LiveEvent } from "./core/event-ring.ts";
import { LiveRecorder } from "./live-recorder.ts";
import { toPayload } from "#modules/webhooks/index.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventListener } from "#platform/events/source.ts";

/** Passes events to the recording of the event streams. While nothing is recorded, messages are confirmed without being read. */
export const liveListener: EventListener = {
  wants: (_type, { env }) => LiveRecorder.from(env).isRecording(),
  open: async (_messages, { env }) => {
    const recorder = LiveRecorder.from(env);
    if (!(await recorder.isRecording())) return undefined;
    return (events) => recorder.record(events.map(toLiveEvent));
  },
};

const toLiveEvent = (event: PlatformEvent): LiveEvent => ({
  id: event.id,
  name: eventName(event),
  ledger: ledgerOf(event.payload),
  body: toPayload(event),
});

function ledgerOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || !("ledger" in payload)) return undefined;
  return typeof payload.ledger === "string" ? payload.ledger : undefined;
}
