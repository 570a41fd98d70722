/** An event as streams show it. */
export interface LiveEvent {
  /** The id by which consumers know it. */
  readonly id: string;
  /** The name that webhooks subscribe to. */
  readonly name: string;
  /** The ledger that it is about, where it is about one. */
  readonly ledger: string | undefined;
  /** The body that webhooks deliver. */
  readonly body: string;
}

/** Says that events may be missing here. */
export interface EventGap {
  readonly reason: string;
}

export type RingItem = LiveEvent | EventGap;

export const isGap = (item: RingItem): item is EventGap => "reason" in item;

export interface RingEntry {
  readonly sequence: number;
  readonly item: RingItem;
}

export interface RingLimits {
  readonly entries: number;
  /** Most characters of all entries together; the newest entry is kept whatever its length. */
  readonly length: number;
}

/** Where a reader goes on, and what it misses there. */
export interface RingPosition {
  /** The entry that was read last. */
  readonly sequence: number;
  readonly gap: string | undefined;
}

/** The ids that a ring gives: no other is one of its own. */
const ID = /^\d{1,15}$/;
/** Longest part of an id that a message repeats. */
const ID_LENGTH_SHOWN = 50;
/** What an entry needs besides its texts, in characters. */
const ENTRY_LENGTH = 100;

/**
 * The last events, each with a number that counts up by one. It drops the oldest entries when it is full. An event whose id
 * it still knows is not taken again.
 */
export class EventRing {
  readonly #limits: RingLimits;
  /** Entries from `#head` on are those of the ring, without a gap in their numbers. */
  #entries: RingEntry[] = [];
  #head = 0;
  #length = 0;
  readonly #ids = new Set<string>();
  #last: number;
  #shown: number;
  #floor: number;

  /** An empty ring: the next entry gets the number after `last`. */
  constructor(last: number, limits: RingLimits) {
    this.#last = last;
    this.#shown = last;
    this.#floor = last;
    this.#limits = limits;
  }

  /** The number of the newest entry, or of the one that would stand before the first. */
  get last(): number {
    return this.#last;
  }

  /** Whoever has read up to here, or further, can go on without missing anything. */
  get floor(): number {
    return this.#floor;
  }

  /** The newest entry that readers see. */
  get shown(): number {
    return this.#shown;
  }

  /** Adds what is new, and returns it. Readers see it when it is shown. */
  add(items: readonly RingItem[]): RingEntry[] {
    const added: RingEntry[] = [];
    for (const item of items) {
      if (!isGap(item)) {
        if (this.#ids.has(item.id)) continue;
        this.#ids.add(item.id);
      }
      const entry = { sequence: ++this.#last, item };
      this.#length += lengthOf(item);
      this.#entries.push(entry);
      added.push(entry);
    }
    this.#trim();
    return added;
  }

  /** Lets readers see the entries up to this one. */
  show(sequence: number): void {
    this.#shown = Math.max(this.#shown, Math.min(sequence, this.#last));
  }

  /** Where somebody who has read up to the entry of this id goes on; without an id, after the newest. */
  positionAfter(id: string | undefined): RingPosition {
    if (id === undefined) return { sequence: this.#shown, gap: undefined };
    const sequence = ID.test(id) ? Number(id) : Infinity;
    if (sequence > this.#shown) {
      const gap = `the id ${id.slice(0, ID_LENGTH_SHOWN)} is not known here; what is still stored follows`;
      return { sequence: this.#floor, gap };
    }
    if (sequence < this.#floor) {
      const gap = `events after the id ${sequence} are no longer stored; what is still stored follows`;
      return { sequence: this.#floor, gap };
    }
    return { sequence, gap: undefined };
  }

  /** The entries after one that readers may see, oldest first. */
  *after(sequence: number): Generator<RingEntry> {
    const from = this.#head + Math.max(0, sequence - this.#floor);
    for (let at = from; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry === undefined || entry.sequence > this.#shown) return;
      yield entry;
    }
  }

  #trim(): void {
    const { entries, length } = this.#limits;
    while (this.#entries.length - this.#head > 1) {
      if (this.#entries.length - this.#head <= entries && this.#length <= length) break;
      const oldest = this.#entries[this.#head];
      if (oldest === undefined) break;
      this.#head++;
      this.#floor = oldest.sequence;
      this.#length -= lengthOf(oldest.item);
      if (!isGap(oldest.item)) this.#ids.delete(oldest.item.id);
    }
    // Half of the array is of no use any more.
    if (this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }
}

const lengthOf = (item: RingItem): number =>
  ENTRY_LENGTH +
  (isGap(item)
    ? item.reason.length
    : item.id.length + item.name.length + (item.ledger?.length ?? 0) + item.body.length);
