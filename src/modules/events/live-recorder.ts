import type { LiveEvent } from "./core/event-ring.ts";
import { eventStreamOf } from "./event-stream.ts";
import { RecordingFlag } from "./recording-flag.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { reachObject } from "#platform/objects/call.ts";

export interface RecorderPorts {
  readonly isRecording: () => Promise<boolean>;
  readonly record: (events: readonly LiveEvent[], hasMissed: boolean) => Promise<void>;
  readonly nowMs: () => number;
}

/** How long an isolate uses the flag that it has read, in milliseconds. The first stream waits for longer before it opens. */
export const FLAG_MS = 500;
/** How long a consumer of events waits for the database, and for the object, in milliseconds. */
const READ_MS_MAX = 2000;
const RECORD_MS_MAX = 5000;
/** How long an isolate does not call the object after a failure, in milliseconds. */
const PAUSE_MS = 30_000;

/**
 * Sends events to the object of the event streams while it records. Streams are best effort: whatever fails here, the events are
 * confirmed and webhooks get them. Events that were lost in a failure become a gap in the recording, unless the isolate ends
 * before its next call.
 */
export class LiveRecorder {
  static readonly from = memoByEnv((env: Env) => new LiveRecorder(portsOf(env)));

  readonly #ports: RecorderPorts;
  #flag = { isSet: false, readAtMs: Number.NaN };
  #failedAtMs = Number.NaN;
  /** Whether events were confirmed that a stream should have shown and did not. */
  #hasMissed = false;

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
  }

  /** Whether events are recorded. Never throws. */
  async isRecording(): Promise<boolean> {
    if (this.#isWithin(this.#flag.readAtMs, FLAG_MS)) return this.#flag.isSet;
    // The flag may change during the read, so its age counts from the beginning.
    const readAtMs = this.#ports.nowMs();
    try {
      const to = { object: "database", isRepeatable: true, timeoutMs: READ_MS_MAX };
      const isSet = await reachObject(this.#ports.isRecording(), to);
      this.#flag = { isSet, readAtMs };
      if (!isSet) this.#hasMissed = false;
      return isSet;
    } catch (error) {
      logError(
        "event streams may miss events: it could not be read whether a stream is open",
        error,
      );
      this.#hasMissed = true;
      return false;
    }
  }

  /** Records events. Never throws. */
  async record(events: readonly LiveEvent[]): Promise<void> {
    const hasMissed = this.#hasMissed;
    this.#hasMissed = true;
    if (this.#isWithin(this.#failedAtMs, PAUSE_MS)) return;
    try {
      const call = this.#ports.record(events, hasMissed);
      await reachObject(call, { object: "event stream", timeoutMs: RECORD_MS_MAX });
      this.#hasMissed = false;
    } catch (error) {
      this.#failedAtMs = this.#ports.nowMs();
      logError("event streams miss events", error, { count: events.length });
    }
  }

  /** Whether a period that began at `sinceMs` still runs. A clock that was set back ends it. */
  #isWithin(sinceMs: number, periodMs: number): boolean {
    const elapsedMs = this.#ports.nowMs() - sinceMs;
    return elapsedMs >= 0 && elapsedMs < periodMs;
  }
}

const portsOf = (env: Env): RecorderPorts => ({
  isRecording: () => new RecordingFlag(env).isSet(),
  record: (events, hasMissed) => eventStreamOf(env).record(events, hasMissed),
  nowMs: () => Date.now(),
});
