import { BodyCache } from "./body-cache.ts";
import type { DueDelivery, FreshRange, LaneStore } from "./lane-store.ts";
import { OriginStreams } from "./origin-streams.ts";
import type { EventOrigin } from "#modules/webhooks/core/lane.ts";
import { logError } from "#platform/log.ts";

/** A delivery that only has to be sent. */
export interface Ready {
  readonly delivery: DueDelivery;
  readonly body: string;
}

export interface ReadyQueuePorts {
  /**
   * The bodies of some events of one origin, by their positions: as many as fit into memory, one at least; undefined for one
   * that is gone for good. Throws where they cannot be read now.
   */
  readonly readBodies: (
    origin: EventOrigin,
    positions: readonly (number | string)[],
  ) => Promise<ReadonlyMap<number | string, string | undefined>>;
  /** The time of the lane, in milliseconds. */
  readonly laneMs: () => number;
  /** Ends deliveries whose events are gone. */
  readonly drop: (deliveries: readonly DueDelivery[]) => void;
  /** Deliveries became ready, or an origin can be asked again. */
  readonly onReady: () => void;
}

/** How many deliveries are made ready at once, and below how many the next ones are. */
const READY_MAX = 320;
const READY_LOW = 192;
/** While so many characters of bodies are ready, no further ones are read. */
const READY_LENGTH_MAX = 8_000_000;
/** How many events of one origin are read at once: places are left to others if it hangs. */
const LOAD_MAX = 192;

/**
 * The next deliveries of a lane, with their bodies: those that are due again, and those that were never attempted, in the order
 * in which they came. An origin whose events cannot be read, or take long, is set aside, so that it holds up no others.
 *
 * Nothing of it is stored: what is forgotten is chosen again.
 */
export class ReadyQueue {
  readonly #store: LaneStore;
  readonly #ports: ReadyQueuePorts;
  readonly #bodies = new BodyCache();
  readonly #aside = new OriginStreams();
  #ready: Ready[] = [];
  /** Characters of the bodies that are ready. */
  #readyLength = 0;
  /** Numbers of the deliveries whose bodies are being read. */
  #loading = new Set<number>();
  /** Where the deliveries begin that were never attempted, and were not chosen either; those of origins aside excepted. */
  #nextFresh: number;
  /** Numbers of those that were chosen for the first time, until their attempt is stored. */
  readonly #first = new Set<number>();
  #lastSeq: number;

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

  /** How many deliveries were never chosen. */
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

  get isLow(): boolean {
    return this.#ready.length < READY_LOW && this.#readyLength < READY_LENGTH_MAX;
  }

  /** When an origin that is set aside can be asked again, by the lane's clock; undefined if there is none. */
  get asideUntilMs(): number | undefined {
    return this.#aside.nextAfter(this.#ports.laneMs());
  }

  /** A new delivery, and its body, where it is to be kept. */
  add(seq: number, body: string | undefined): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    if (body !== undefined) this.#bodies.put(seq, body);
  }

  shift(): Ready | undefined {
    const next = this.#ready.shift();
    this.#readyLength -= next?.body.length ?? 0;
    return next;
  }

  /**
   * Chooses the next deliveries, so that `most` at most are chosen. Those that are due again come first, but never take all
   * places, so that new ones go on.
   */
  refill(underWay: readonly number[], most = READY_MAX): void {
    // A second round finds what the first one has passed over an origin for, or has left for lack of places of its kind.
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

  /** A delivery is pending as before: it is chosen again. */
  giveBack(seq: number): void {
    if (this.#first.delete(seq)) this.#nextFresh = Math.min(this.#nextFresh, seq);
  }

  /** Forgets what is ready; it is chosen again. */
  clear(): void {
    for (const seq of this.chosen) this.giveBack(seq);
    this.#ready = [];
    this.#readyLength = 0;
    this.#loading = new Set();
  }

  /** The first attempt of deliveries is stored. */
  forget(seqs: readonly number[]): void {
    for (const seq of seqs) this.#first.delete(seq);
  }

  /** Deliveries before this number were attempted at least once, when the attempts of these are stored. */
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
    // Where nothing else is due but the deliveries of origins that rest, they make way for those behind them.
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

  /** Those of origins that were set aside and can be asked again. */
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

  /** Those of a range that were chosen before: usually none. */
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

  #push(ready: Ready): void {
    this.#ready.push(ready);
    this.#readyLength += ready.body.length;
  }

  /** Those that were not read are the next ones of their origin. */
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

  /** Those that are due again stay as they are; those that were never attempted are in the stream of their origin. */
  #setAside(origin: number, deliveries: readonly DueDelivery[]): void {
    for (const { seq, isFresh } of deliveries) {
      if (!isFresh) continue;
      this.#first.delete(seq);
      this.#aside.add(origin, seq);
    }
  }
}
