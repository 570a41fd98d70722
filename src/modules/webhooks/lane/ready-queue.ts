import type { DueDelivery, FreshRange, LaneStore } from "./lane-store.ts";
import { OriginStreams } from "./origin-streams.ts";
import type { EventOrigin } from "#modules/webhooks/core/lane.ts";
import { logError } from "#platform/log.ts";

/** A delivery that can be sent now. */
export interface ReadyDelivery {
  readonly delivery: DueDelivery;
  readonly body: string;
}

export interface ReadyQueuePorts {
  /**
   * Reads bodies of events of one origin, by position: as many as fit into memory, at least one; undefined for an event that is
   * gone for good. Throws if they cannot be read now.
   */
  readonly readBodies: (
    origin: EventOrigin,
    positions: readonly (number | string)[],
  ) => Promise<ReadonlyMap<number | string, string | undefined>>;
  /** The time by the lane's clock, in milliseconds. */
  readonly laneMs: () => number;
  /** Ends deliveries whose events are gone. */
  readonly drop: (deliveries: readonly DueDelivery[]) => void;
  /** Called when deliveries have become ready, or an origin can be read again. */
  readonly onReady: () => void;
}

/** Most deliveries that are ready or being read, and the number of ready ones below which more are chosen. */
const READY_MAX = 320;
const READY_LOW = 192;
/** Length of ready bodies, in characters, from which no further deliveries are chosen. */
const READY_LENGTH_MAX = 8_000_000;
/** Most characters of all bodies together of events that a lane has just received. */
const CACHED_LENGTH_MAX = 2_000_000;
/** Most events of one origin that are read at once. If the origin hangs, other origins have the remaining places. */
const LOAD_MAX = 192;

/**
 * The next deliveries of a lane, with their bodies.
 *
 *     due for a retry or a replay ───┐
 *     stream of an origin set aside ─┼─► chosen ─┬─► body is in the cache ──────────┬─► ready ─► sent
 *     never attempted ───────────────┘           └─► body is read from its origin ──┘
 *                                                      │ fails, or the origin is read already
 *                                                      └─► stream of the origin, which is set aside
 *
 * New deliveries come in the order of their numbers. An origin whose events cannot be read, or take long, is set aside, so that
 * it holds up no other origin. Nothing of the queue is stored: after a crash, deliveries whose attempts are not stored are chosen
 * again.
 */
export class ReadyQueue {
  readonly #store: LaneStore;
  readonly #ports: ReadyQueuePorts;
  readonly #bodies = new BodyCache();
  readonly #aside = new OriginStreams();
  #ready: ReadyDelivery[] = [];
  /** Length of the ready bodies, in characters. */
  #readyLength = 0;
  /** Numbers of the deliveries whose bodies are being read. */
  #loading = new Set<number>();
  /** The first number that was never chosen, apart from the deliveries of origins that are set aside. */
  #nextFresh: number;
  /** Numbers of the deliveries whose first attempt is chosen and not stored yet. */
  readonly #first = new Set<number>();
  #lastSeq: number;

  /** Every delivery before `head` was attempted at least once, or has ended. */
  constructor(store: LaneStore, head: number, ports: ReadyQueuePorts) {
    this.#store = store;
    this.#ports = ports;
    this.#nextFresh = head;
    this.#lastSeq = store.lastSeq();
  }

  /** The number of the newest delivery. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Number of deliveries that were never considered. Deliveries that were passed over for their origin do not count. */
  get backlog(): number {
    return Math.max(0, this.#lastSeq + 1 - this.#nextFresh);
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Numbers of the deliveries that are chosen and not sent yet. */
  get chosen(): number[] {
    return [...this.#ready.map(({ delivery }) => delivery.seq), ...this.#loading];
  }

  /** Whether so few deliveries are ready that the queue should be refilled. */
  get isLow(): boolean {
    return this.#ready.length < READY_LOW && this.#readyLength < READY_LENGTH_MAX;
  }

  /** When an origin that is set aside can be read again, by the lane's clock; undefined if none rests. */
  get asideUntilMs(): number | undefined {
    return this.#aside.nextAfter(this.#ports.laneMs());
  }

  /** Notes that the deliveries up to `seq` are stored. `body` is that of the delivery `seq`; it saves a read of the origin. */
  add(seq: number, body: string | undefined): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    if (body !== undefined) this.#bodies.put(seq, body);
  }

  /** Removes and returns the next delivery that can be sent. From then on, the caller counts it as under way. */
  shift(): ReadyDelivery | undefined {
    const next = this.#ready.shift();
    this.#readyLength -= next?.body.length ?? 0;
    return next;
  }

  /** Puts back the delivery that was removed last, because it was not sent. */
  putBack(ready: ReadyDelivery): void {
    this.#ready.unshift(ready);
    this.#readyLength += ready.body.length;
  }

  /**
   * Chooses the next deliveries until `most` are chosen, or `READY_MAX`. Retries and replays come first, but take half of the places at
   * most, so that new deliveries go on. Deliveries under way, whose retries are still stored as due, are not chosen. A delivery whose
   * body is in the cache is ready at once; for the others, `onReady` is called when their bodies were read. Throws if the store fails.
   */
  refill(underWay: readonly number[], most = READY_MAX): void {
    // A second round fills the places that the first one left empty, by a limit of its kind or by an origin that it has set aside.
    for (let round = 0; round < 2; round++) {
      const places = Math.min(most, READY_MAX) - this.#ready.length - this.#loading.size;
      if (places <= 0) return;
      const again = this.#chooseAgain(Math.ceil(places / 2), underWay);
      const left = places - again.length;
      const aside = this.#chooseAside(this.backlog === 0 ? left : Math.ceil(left / 2));
      const fresh = this.#chooseFresh(places - again.length - aside.length);
      this.#prepare([...again, ...aside, ...fresh]);
      if (this.backlog === 0 && this.#aside.isEmpty && again.length < places / 2) return;
    }
  }

  #prepare(chosen: readonly DueDelivery[]): void {
    const missing: DueDelivery[] = [];
    for (const delivery of chosen) {
      const body = this.#bodies.take(delivery.seq);
      if (body === undefined) missing.push(delivery);
      else this.#push({ delivery, body });
    }
    for (const [origin, deliveries] of Map.groupBy(missing, (delivery) => delivery.origin)) {
      const isBusy = this.#aside.isBusy(origin);
      this.#setAside(origin, isBusy ? deliveries : deliveries.slice(LOAD_MAX));
      if (!isBusy) void this.#load(origin, deliveries.slice(0, LOAD_MAX));
    }
  }

  /** Gives back all deliveries that are chosen and not sent, so that they are chosen again. Retries and replays are still due. */
  clear(): void {
    for (const seq of this.chosen) {
      if (this.#first.delete(seq)) this.#nextFresh = Math.min(this.#nextFresh, seq);
    }
    this.#ready = [];
    this.#readyLength = 0;
    this.#loading = new Set();
  }

  /** Notes that attempts of deliveries are stored, so that the head may pass them. */
  markStored(seqs: readonly number[]): void {
    for (const seq of seqs) this.#first.delete(seq);
  }

  /** The head as of the moment at which the attempts of `settled` are stored: every delivery before it was attempted at least once or has ended. */
  headAfter(settled: ReadonlySet<number>): number {
    let head = Math.min(this.#nextFresh, this.#aside.head);
    for (const seq of this.#first) if (!settled.has(seq)) head = Math.min(head, seq);
    return head;
  }

  #chooseAgain(places: number, underWay: readonly number[]): DueDelivery[] {
    const laneMs = this.#ports.laneMs();
    const resting = this.#aside.restingAt(laneMs);
    const except = { seqs: [...underWay, ...this.chosen], origins: resting };
    const again = this.#store.listDue(laneMs, places, except);
    // If only deliveries of resting origins are due, they are postponed, so that later deliveries come into view.
    const untilMs = this.#aside.nextAfter(laneMs);
    if (again.length === 0 && untilMs !== undefined) this.#store.defer(laneMs, untilMs, resting);
    return again;
  }

  #chooseFresh(places: number): DueDelivery[] {
    if (places <= 0 || this.backlog === 0) return [];
    const range = { from: this.#nextFresh };
    const except = { seqs: this.#firstOf(range), origins: this.#aside.origins };
    const fresh = this.#store.listFresh(range, places, except);
    this.#nextFresh = (fresh.length < places ? this.#lastSeq : (fresh.at(-1)?.seq ?? 0)) + 1;
    for (const { seq } of fresh) this.#first.add(seq);
    return fresh;
  }

  /** Chooses deliveries of origins that were set aside and can be read again. */
  #chooseAside(places: number): DueDelivery[] {
    const chosen: DueDelivery[] = [];
    for (const { origin, from } of this.#aside.readyAt(this.#ports.laneMs())) {
      const left = places - chosen.length;
      if (left <= 0) break;
      const range = { from, to: this.#nextFresh, origin };
      const except = { seqs: this.#firstOf(range), origins: [] };
      const fresh = this.#store.listFresh(range, left, except);
      for (const { seq } of fresh) this.#first.add(seq);
      chosen.push(...fresh);
      if (fresh.length < left) this.#aside.end(origin);
      else this.#aside.advance(origin, (fresh.at(-1)?.seq ?? from) + 1);
    }
    return chosen;
  }

  /** The deliveries of a range whose first attempt is chosen already; usually none. */
  #firstOf({ from, to = Infinity }: FreshRange): number[] {
    return [...this.#first].filter((seq) => seq >= from && seq < to);
  }

  async #load(origin: number, deliveries: readonly DueDelivery[]): Promise<void> {
    const loading = this.#loading;
    for (const { seq } of deliveries) loading.add(seq);
    this.#aside.begin(origin);
    try {
      const positions = deliveries.map(({ position }) => position);
      const bodies = await this.#ports.readBodies(this.#store.originOf(origin), positions);
      this.#aside.succeed(origin);
      if (loading === this.#loading) this.#take(deliveries, bodies);
    } catch (error) {
      const count = deliveries.length;
      logError("events could not be read for an endpoint; they are read later", error, { count });
      this.#aside.fail(origin, this.#ports.laneMs());
      if (loading === this.#loading) this.#setAside(origin, deliveries);
    } finally {
      for (const { seq } of deliveries) loading.delete(seq);
      this.#ports.onReady();
    }
  }

  #push(ready: ReadyDelivery): void {
    this.#ready.push(ready);
    this.#readyLength += ready.body.length;
  }

  /**
   * Makes deliveries ready whose bodies were read. Deliveries whose bodies were not read stay first in the stream of their
   * origin; those of events that are gone are dropped.
   */
  #take(
    deliveries: readonly DueDelivery[],
    bodies: ReadonlyMap<number | string, string | undefined>,
  ): void {
    const gone: DueDelivery[] = [];
    for (const delivery of deliveries) {
      const { origin, position } = delivery;
      const body = bodies.get(position);
      if (body !== undefined) this.#push({ delivery, body });
      else if (bodies.has(position)) gone.push(delivery);
      else this.#setAside(origin, [delivery]);
    }
    if (gone.length > 0) this.#ports.drop(gone);
  }

  /** Returns deliveries to the stream of their origin. Retries and replays need no place in it, because they stay due. */
  #setAside(origin: number, deliveries: readonly DueDelivery[]): void {
    for (const { seq, isFresh } of deliveries) {
      if (!isFresh) continue;
      this.#first.delete(seq);
      this.#aside.add(origin, seq);
    }
  }
}

/** Bodies of events that a lane has just received, so that their first attempt need not read them. A full cache drops the oldest bodies. */
class BodyCache {
  readonly #bodies = new Map<number, string>();
  #length = 0;

  put(seq: number, body: string): void {
    this.#bodies.set(seq, body);
    this.#length += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#length <= CACHED_LENGTH_MAX) return;
      this.take(oldest);
    }
  }

  /** Returns the body and removes it. */
  take(seq: number): string | undefined {
    const body = this.#bodies.get(seq);
    if (body === undefined) return undefined;
    this.#bodies.delete(seq);
    this.#length -= body.length;
    return body;
  }
}
