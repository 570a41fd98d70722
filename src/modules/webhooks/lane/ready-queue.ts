import { BodyCache } from "./body-cache.ts";
import type { DueDelivery, LaneStore } from "./lane-store.ts";
import type { EventOrigin } from "./types.ts";
import { logError } from "#platform/log.ts";

/** A delivery that only has to be sent. */
export interface Ready {
  readonly delivery: DueDelivery;
  readonly body: string;
}

export interface ReadyQueuePorts {
  /**
   * The bodies of some events of one origin, in their order; undefined for one that is gone for good. Throws where they
   * cannot be read now.
   */
  readonly readBodies: (
    origin: EventOrigin,
    positions: readonly (number | string)[],
  ) => Promise<(string | undefined)[]>;
  /** The time of the lane, in milliseconds. */
  readonly laneMs: () => number;
  /** Ends deliveries whose events are gone. */
  readonly drop: (deliveries: readonly DueDelivery[]) => void;
  /** Deliveries became ready, or none of those that were to. */
  readonly onReady: () => void;
}

/** How many deliveries are made ready at once, and below how many the next ones are. */
const READY_MAX = 64;
const READY_LOW = 24;
/** When events are read again that their ledger did not give, in milliseconds. */
const UNREADABLE_MS = 30_000;

/**
 * The next deliveries of a lane, with their bodies: those that are due again, and those that were never attempted, in the order
 * in which they came. Nothing of it is stored: what is forgotten is chosen again.
 */
export class ReadyQueue {
  readonly #store: LaneStore;
  readonly #ports: ReadyQueuePorts;
  readonly #bodies = new BodyCache();
  #ready: Ready[] = [];
  /** Numbers of the deliveries whose bodies are being read. */
  #loading = new Set<number>();
  /** Where the deliveries begin that were never attempted, and were not chosen either. */
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

  /** Numbers of the deliveries that are chosen and not sent yet. */
  get chosen(): number[] {
    return [...this.#ready.map(({ delivery }) => delivery.seq), ...this.#loading];
  }

  get isLow(): boolean {
    return this.#ready.length + this.#loading.size < READY_LOW;
  }

  /** A new delivery, and its body, where it is to be kept. */
  add(seq: number, body: string | undefined): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    if (body !== undefined) this.#bodies.put(seq, body);
  }

  shift(): Ready | undefined {
    return this.#ready.shift();
  }

  /**
   * Chooses the next deliveries, `most` at most. Those that are due again come first, but never take all places, so that new
   * ones go on. Returns whether some were chosen.
   */
  refill(underWay: readonly number[], most = READY_MAX): boolean {
    const places = Math.min(most, READY_MAX) - this.#ready.length - this.#loading.size;
    if (places <= 0) return false;
    const taken = [...underWay, ...this.chosen];
    const again = this.#store.listDue(this.#ports.laneMs(), Math.ceil(places / 2), taken);
    const fresh = this.#chooseFresh(places - again.length);
    const missing: DueDelivery[] = [];
    for (const delivery of [...again, ...fresh]) {
      const body = this.#bodies.take(delivery.seq);
      if (body === undefined) missing.push(delivery);
      else this.#ready.push({ delivery, body });
    }
    for (const [origin, deliveries] of Map.groupBy(missing, (delivery) => delivery.origin)) {
      void this.#load(origin, deliveries);
    }
    return again.length + fresh.length > 0;
  }

  /** A delivery is pending as before: it is chosen again. */
  giveBack(seq: number): void {
    if (this.#first.delete(seq)) this.#nextFresh = Math.min(this.#nextFresh, seq);
  }

  /** Forgets what is ready; it is chosen again. */
  clear(): void {
    for (const seq of this.chosen) this.giveBack(seq);
    this.#ready = [];
    this.#loading = new Set();
  }

  /** The first attempt of deliveries is stored, or they are put off. */
  forget(seqs: readonly number[]): void {
    for (const seq of seqs) this.#first.delete(seq);
  }

  /** Deliveries before this number were attempted at least once, when the attempts of these are stored. */
  headAfter(settled: ReadonlySet<number>): number {
    let head = this.#nextFresh;
    for (const seq of this.#first) if (!settled.has(seq)) head = Math.min(head, seq);
    return head;
  }

  #chooseFresh(places: number): DueDelivery[] {
    if (places <= 0 || this.backlog === 0) return [];
    const fresh = this.#store.listFresh(this.#nextFresh, places);
    for (const { seq } of fresh) this.#first.add(seq);
    this.#nextFresh = (fresh.length < places ? this.#lastSeq : (fresh.at(-1)?.seq ?? 0)) + 1;
    return fresh;
  }

  /** Reads bodies. What cannot be read now is put off, so that it holds up no others for long. */
  async #load(origin: number, deliveries: readonly DueDelivery[]): Promise<void> {
    const loading = this.#loading;
    for (const { seq } of deliveries) loading.add(seq);
    const seqs = deliveries.map(({ seq }) => seq);
    try {
      const positions = deliveries.map(({ position }) => position);
      const bodies = await this.#ports.readBodies(this.#store.originOf(origin), positions);
      if (loading === this.#loading) this.#take(deliveries, bodies);
    } catch (error) {
      const count = deliveries.length;
      logError("events could not be read for an endpoint; they are read later", error, { count });
      if (loading === this.#loading) this.#putOff(seqs);
    }
    for (const seq of seqs) loading.delete(seq);
    this.#ports.onReady();
  }

  #take(deliveries: readonly DueDelivery[], bodies: readonly (string | undefined)[]): void {
    const gone: DueDelivery[] = [];
    for (const [index, delivery] of deliveries.entries()) {
      const body = bodies[index];
      if (body === undefined) gone.push(delivery);
      else this.#ready.push({ delivery, body });
    }
    if (gone.length > 0) this.#ports.drop(gone);
  }

  #putOff(seqs: readonly number[]): void {
    this.#store.postpone(seqs, this.#ports.laneMs() + UNREADABLE_MS);
    this.forget(seqs);
  }
}
