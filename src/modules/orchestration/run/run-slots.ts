/** How many instances an isolate executes at once beside its requests, in all and of one owner. */
export interface SlotLimits {
  readonly total: number;
  readonly ofOne: number;
  /** Time after which a place counts as free, in milliseconds, because its holder may have been cut off. */
  readonly leaseMs: number;
}

interface Place {
  readonly owner: string;
  readonly untilMs: number;
}

/**
 * The places for instances that an isolate executes beside its requests. One owner gets only a part of them, so that others find some free.
 */
export class RunSlots {
  readonly #limits: SlotLimits;
  readonly #nowMs: () => number;
  readonly #taken = new Set<Place>();

  constructor(limits: SlotLimits, nowMs: () => number = () => Date.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Takes a place for an owner. Returns a function that frees the place, or undefined where none is free. */
  take(owner: string): (() => void) | undefined {
    const { total, ofOne, leaseMs } = this.#limits;
    const nowMs = this.#nowMs();
    let ownCount = 0;
    for (const place of this.#taken) {
      // A place with more time left than a new one has was taken before the clock stepped back.
      if (place.untilMs <= nowMs || place.untilMs > nowMs + leaseMs) this.#taken.delete(place);
      else if (place.owner === owner) ownCount++;
    }
    if (this.#taken.size >= total || ownCount >= ofOne) return undefined;
    const place = { owner, untilMs: nowMs + leaseMs };
    this.#taken.add(place);
    return () => void this.#taken.delete(place);
  }
}
