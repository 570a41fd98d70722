import { DurableObject, RpcTarget } from "cloudflare:workers";
import type { LiveEvent } from "./core/event-ring.ts";
import { EventRecording } from "./event-recording.ts";
import { FLAG_MS } from "./live-recorder.ts";
import { LiveStream, type LiveStreamOptions } from "./live-stream.ts";
import { RecordingFlag } from "./recording-flag.ts";
import { Throttle } from "./throttle.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import type { Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";

/** Most streams that are open at once. */
const STREAMS_MAX = 100;
/** How often an idle stream shows that it lives. */
const HEARTBEAT_MS = 15_000;
/**
 * How long events are recorded after the last stream was closed: so long its client may take to come again. Where more events come than are
 * kept, recording ends sooner, as the client would hear of a gap anyway.
 */
const IDLE_MS = 600_000;
/** How long the consumers may take to hear that events are recorded: what each has read, and that twice. */
const NOTICE_MS = 2 * FLAG_MS;

/**
 * How often streams are woken in a second, all of them together. With 87 streams open, a write to each of them at every event took a quarter of
 * the time in which V8 collects garbage. A stream among a hundred now gets the events of 0.2 s in one write.
 */
const WAKES_PER_SECOND = 500;

const MISSED = "events may be missing here: the consumer could not reach the event stream";

/** A stream, for the one who reads it. */
export interface OpenStream {
  readonly lines: ReadableStream<Uint8Array>;
  /** Disposing of it closes the stream; the runtime does so where its holder ends. */
  readonly seat: Seat;
}

/** The place of a stream among those that may be open. */
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
 * Events are recorded while a row in D1 says so, which their consumers read. The row is there before the recording counts
 * as complete, and goes after the recording has ended; the alarm that ends it is set before either. So a crash at any
 * time leaves consumers that send events in vain, and an alarm that puts it right, never a recording with a hole in it.
 *
 * Each entry has a number that is the id of its SSE event. No number is used twice, not even after the recording was
 * emptied, so that a client that comes again is either given all that came after its last id, or told that something is
 * missing.
 */
export class EventStreamObject extends DurableObject<Env> {
  readonly #recording: EventRecording;
  readonly #alarms: Alarms<"idle">;
  readonly #flag: RecordingFlag;
  readonly #streams = new Set<LiveStream>();
  readonly #wakes = new Throttle(() => {
    for (const stream of this.#streams) stream.wake();
  });
  /** Requests that are about to have a stream. */
  #opening = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** Starting and ending take several steps, and one follows the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#recording = new EventRecording(durableSql(ctx.storage));
    this.#alarms = new Alarms(ctx.storage, { idle: () => this.#inTurn(() => this.#endIfIdle()) });
    this.#flag = new RecordingFlag(env);
    // The streams of the object before this one ended with it.
    if (this.#recording.isOn && this.#recording.idleSinceMs === undefined) this.#startIdling();
  }

  /** Opens a stream. It ends when its reader leaves, and after an hour. */
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

  /** Takes events from a consumer, which says whether it could not bring some before. */
  async record(events: readonly LiveEvent[], hasMissed: boolean): Promise<void> {
    if (!this.#recording.isOn) return;
    if (!this.#isUsed && this.#remainingMs <= 0) this.#alarms.set("idle", Date.now());
    this.#recording.add([...(hasMissed ? [{ reason: MISSED }] : []), ...events]);
    const { ring } = this.#recording;
    const { last } = ring;
    // What a client has seen must be here when it comes again.
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

  /** How long events are still recorded for nobody. A clock that was set back has no say in it. */
  get #remainingMs(): number {
    if (this.#recording.isOutrun) return 0;
    const idleMs = Date.now() - (this.#recording.idleSinceMs ?? 0);
    return idleMs < 0 ? 0 : IDLE_MS - idleMs;
  }

  /** Resolves when every event that is consumed from then on is recorded. */
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
      // It rings once more, whatever happens from here.
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
    }, HEARTBEAT_MS);
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

  /** Does something after what was begun before it, and before what is begun after it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
