import type { LiveEvent } from "./core/event-ring.ts";
import { eventStreamOf } from "./event-stream.ts";
import { RecordingFlag } from "./recording-flag.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { reachObject } from "#platform/objects/call.ts";

/** Where the recorder gets what it knows, and puts what it records. */
export interface RecorderPorts {
  readonly isRecording: () => Promise<boolean>;
  readonly record: (events: readonly LiveEvent[], hasMissed: boolean) => Promise<void>;
  readonly nowMs: () => number;
}

/** How long an isolate takes what it has read for true, in milliseconds. A stream that is opened first waits for longer. */
export const FLAG_MS = 500;
/** How long the consumers of events wait for the database, and for the object, in milliseconds. */
const READ_MS_MAX = 2000;
const RECORD_MS_MAX = 5000;
/** How long they leave the object alone after a failure. */
const PAUSE_MS = 30_000;

/**
 * Gives events to the object of the event streams if anybody listens. Streams are the best effort: whatever happens here, the
 * events are confirmed, and webhooks get theirs. What a failure has cost becomes a gap in the recording, unless the isolate
 * ends before it can say so.
 */
export class LiveRecorder {
  static readonly from = memoByEnv((env: Env) => new LiveRecorder(portsOf(env)));

  readonly #ports: RecorderPorts;
  #flag = { isSet: false, readAtMs: Number.NaN };
  #failedAtMs = Number.NaN;
  /** Whether events were confirmed that a stream might have shown. */
  #hasMissed = false;

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
  }

  /** Whether anybody listens. It never throws. */
  async isRecording(): Promise<boolean> {
    if (this.#isWithin(this.#flag.readAtMs, FLAG_MS)) return this.#flag.isSet;
    // The flag may change while it is read.
    const readAtMs = this.#ports.nowMs();
    try {
      const to = { object: "database", isRead: true, timeoutMs: READ_MS_MAX };
      const isSet = await reachObject(this.#ports.isRecording(), to);
      this.#flag = { isSet, readAtMs };
      if (!isSet) this.#hasMissed = false;
      return isSet;
    } catch (error) {
      logError("event streams may miss events: whether one is open was not read", error);
      this.#hasMissed = true;
      return false;
    }
  }

  /** Records events. It never throws. */
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

  /** A clock that was set back makes no period longer. */
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
