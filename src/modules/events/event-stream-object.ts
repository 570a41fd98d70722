import { DurableObject, RpcTarget } from "cloudflare:workers";
import type { LiveEvent } from "./core/event-ring.ts";
import { EventRecording } from "./event-recording.ts";
import { FLAG_MS } from "./live-recorder.ts";
import { LiveStream, type LiveStreamOptions } from "./live-stream.ts";
import { RecordingFlag } from "./recording-flag.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import type { Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { BEAT_MS } from "#platform/sse/held-stream.ts";
import { Throttle } from "#platform/work/throttle.ts";

/** Most streams of a deployment that are open at once. */
const STREAMS_MAX = 100;
/**
 * How long events are recorded after the last stream was closed, so that its client can come back without a gap. Recording ends
 * sooner when entries are dropped that no client has read: every client that comes back gets a gap then.
 */
const IDLE_MS = 600_000;
/** How long a start waits until every consumer records: twice the time for which an isolate uses the flag that it has read. */
const NOTICE_MS = 2 * FLAG_MS;

/**
 * How often streams are woken in a second, all of them together. With 87 streams open, a write to each stream at every event took
 * a quarter of the time in which V8 collects garbage. With a hundred streams open, each stream gets the events of 0.2 s in one
 * write.
 */
const WAKES_PER_SECOND = 500;

const MISSED = "events may be missing here: the consumer could not reach the event stream";

/** A stream as its reader gets it. */
export interface OpenStream {
  readonly lines: ReadableStream<Uint8Array>;
  /** Disposing of the seat closes the stream. The runtime disposes of it when the request that holds it ends. */
  readonly seat: Seat;
}

/** The place of one stream among the `STREAMS_MAX` that may be open. */
class Seat extends RpcTarget implements Disposable {
  readonly #leave: () => void;

  constructor(leave: () => void) {
    super();
    this.#leave = leave;
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}

/**
 * All event streams of a deployment, and the recording that they read.
 *
 * Consumers of events send them here while a row in D1 exists:
 *
 *     start   alarm set ─► row in D1 ─► wait until all consumers have read it ─► recording on
 *     end     alarm set ─► recording off ─► row deleted
 *
 * So after a crash at any time, consumers at worst send events in vain until the alarm deletes the row. The recording never has a
 * hole.
 *
 * Each entry has a number that is the id of its SSE event. No number is used twice, not even after the recording was emptied. A
 * client that comes back with its last id therefore gets all later events, or a gap that says that some are missing.
 */
export class EventStreamObject extends DurableObject<Env> {
  readonly #recording: EventRecording;
  readonly #alarms: Alarms<"idle">;
  readonly #flag: RecordingFlag;
  readonly #streams = new Set<LiveStream>();
  readonly #wakes = new Throttle(() => {
    for (const stream of this.#streams) stream.wake();
  });
  /** Number of requests whose stream is not open yet. */
  #opening = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** The end of the queue of starts and ends, which have several steps each and must not overlap. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#recording = new EventRecording(durableSql(ctx.storage));
    this.#alarms = new Alarms(ctx.storage, { idle: () => this.#inTurn(() => this.#endIfIdle()) });
    this.#flag = new RecordingFlag(env);
    // The streams of the former instance of the object have ended with it.
    if (this.#recording.isOn && this.#recording.idleSinceMs === undefined) this.#startIdling();
  }

  /** Opens a stream, which ends when its reader leaves or after an hour. Fails with `RATE_LIMITED` where too many are open. */
  async open(options: LiveStreamOptions): Promise<Result<OpenStream>> {
    if (this.#streams.size + this.#opening >= STREAMS_MAX) {
      const message = `${STREAMS_MAX} event streams are open already, and a deployment has no more; close one, or try again later`;
      return { ok: false, failure: { kind: "RATE_LIMITED", message } };
    }
    this.#opening++;
    try {
      await this.#inTurn(() => this.#start());
      const stream = new LiveStream(() => this.#recording.ring, options);
      this.#add(stream);
      this.ctx.waitUntil(this.#run(stream));
      const seat = new Seat(() => stream.leave());
      return { ok: true, value: { lines: stream.readable, seat } };
    } finally {
      this.#opening--;
    }
  }

  /** Records events of a consumer. `hasMissed` says that the consumer could not deliver some events before these. */
  async record(events: readonly LiveEvent[], hasMissed: boolean): Promise<void> {
    if (!this.#recording.isOn) return;
    if (!this.#isUsed && this.#remainingMs <= 0) this.#alarms.set("idle", Date.now());
    this.#recording.add([...(hasMissed ? [{ reason: MISSED }] : []), ...events]);
    const { ring } = this.#recording;
    const { last } = ring;
    // A client may see only entries that survive a restart, because it asks for those after its last one.
    await this.ctx.storage.sync();
    ring.show(last);
    this.#wakes.call((this.#streams.size * 1000) / WAKES_PER_SECOND);
  }

  override async alarm(): Promise<void> {
    await this.#alarms.ring();
  }

  get #isUsed(): boolean {
    return this.#streams.size + this.#opening > 0;
  }

  /** How long events are still recorded while no stream is open, in milliseconds. A clock that was set back ends the recording. */
  get #remainingMs(): number {
    if (this.#recording.isOutrun) return 0;
    const idleMs = Date.now() - (this.#recording.idleSinceMs ?? 0);
    return idleMs < 0 ? 0 : IDLE_MS - idleMs;
  }

  /** Begins to record. Resolves when every event that is consumed from then on is recorded. */
  async #start(): Promise<void> {
    if (this.#recording.isOn) return;
    this.#alarms.set("idle", Date.now() + IDLE_MS);
    await this.ctx.storage.sync();
    await this.#flag.set();
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    this.#recording.start(Date.now());
  }

  async #endIfIdle(): Promise<void> {
    if (this.#isUsed) return this.#alarms.set("idle", Date.now() + IDLE_MS);
    if (this.#recording.isOn) {
      if (this.#remainingMs > 0) return this.#alarms.set("idle", Date.now() + this.#remainingMs);
      // If a later step fails, the alarm rings again and repeats the end.
      this.#alarms.set("idle", Date.now() + IDLE_MS);
      this.#recording.stop();
      await this.ctx.storage.sync();
    }
    await this.#flag.clear();
  }

  #add(stream: LiveStream): void {
    this.#streams.add(stream);
    if (this.#streams.size > 1) return;
    this.#recording.setIdleSince(undefined);
    this.#heartbeat = setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, BEAT_MS);
  }

  async #run(stream: LiveStream): Promise<void> {
    await stream.run();
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#startIdling();
  }

  #startIdling(): void {
    this.#recording.setIdleSince(Date.now());
    this.#alarms.set("idle", Date.now() + IDLE_MS);
  }

  /** Runs work after all work that was queued earlier has ended. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
