/** An event as streams show it. */
export interface LiveEvent {
  /** The id of the event, by which consumers recognise a repetition. */
  readonly id: string;
  /** The name that webhooks subscribe to. */
  readonly name: string;
  /** The ledger of the event; undefined for events of other modules. */
  readonly ledger: string | undefined;
  /** The body that webhooks deliver. */
  readonly body: string;
}

/** An item in place of events that may be missing. */
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

/** The position at which a reader continues. */
export interface RingPosition {
  /** The number of the last entry that the reader has. */
  readonly sequence: number;
  readonly gap: string | undefined;
}

/** The form of the ids that a ring gives. */
const ID = /^\d{1,15}$/;
/** Longest part of an id that a message repeats. */
const ID_LENGTH_SHOWN = 50;
/** Length that an entry counts for besides its texts, in characters. */
const ENTRY_LENGTH = 100;

/**
 * The newest events, numbered without gaps. A full ring drops its oldest entries. An event whose id is still in the ring is not
 * added again.
 *
 *     dropped │ kept, readers see them │ added, not shown yet │
 *             ▲                        ▲                      ▲
 *           floor                    shown                   last
 */
export class EventRing {
  readonly #limits: RingLimits;
  /** The array's items from `#head` on are the entries of the ring, with consecutive numbers. */
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

  /** The number of the newest entry; in an empty ring, the number before the first entry. */
  get last(): number {
    return this.#last;
  }

  /** The number of the last entry that was dropped. A reader with this position or a later one misses nothing. */
  get floor(): number {
    return this.#floor;
  }

  /** The number of the newest entry that readers see. */
  get shown(): number {
    return this.#shown;
  }

  /** Adds the items that are new and returns their entries. Readers see them after `show`. */
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

  /** Lets readers see the entries up to a number. */
  show(sequence: number): void {
    this.#shown = Math.max(this.#shown, Math.min(sequence, this.#last));
  }

  /** The position of a reader whose last event has this id; without an id, the position after the newest entry. */
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

  /** The visible entries after a number, oldest first. */
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
    // More than half of the array are dropped entries, so it is copied.
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
