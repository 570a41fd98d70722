import type { Generations } from "./generations.ts";
import type { OriginChange, SearchIndex } from "./search-index.ts";
import { type IndexedEvent, objectsOfLedgerEvent } from "#modules/search/core/indexed.ts";

/** Entries of a log, and the last one up to which they are complete. */
export interface FollowedPart {
  readonly events: readonly (IndexedEvent & { readonly position: number })[];
  readonly to: number;
}

export interface FollowerPorts {
  /** The first entries of a ledger's log from one on, up to another one; undefined if the ledger was purged. */
  readonly read: (
    ledger: { readonly ledger: string; readonly uuid: string },
    from: number,
    to: number,
  ) => Promise<FollowedPart | undefined>;
  readonly nowMs: () => number;
}

/** How far an index follows a log. */
interface CatchUp {
  /** The last entry to index; undefined for the last one that there is. */
  readonly to?: number;
  /** When to stop before the end, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Lets indexes follow the logs of ledgers: reads the entries behind the position of an origin, and stores what they say together with the
 * new position. Nothing depends on how often it is called, or by whom.
 */
export class LogFollower {
  readonly #generations: Generations;
  readonly #ports: FollowerPorts;
  /** The end of the queue of each origin of an index. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(generations: Generations, ports: FollowerPorts) {
    this.#generations = generations;
    this.#ports = ports;
  }

  /** Indexes the entries of a log. Returns false if it stopped before the end. Throws the error of a log that cannot be read. */
  catchUp(index: SearchIndex, key: string, range: CatchUp): Promise<boolean> {
    const name = `${index.id} ${key}`;
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() =>
      this.#catchUp(index, key, range),
    );
    const ended = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#turns.get(name) === ended) this.#turns.delete(name);
      });
    this.#turns.set(name, ended);
    return turn;
  }

  async #catchUp(index: SearchIndex, key: string, { to, untilMs }: CatchUp): Promise<boolean> {
    const { read, nowMs } = this.#ports;
    for (;;) {
      const origin = index.origin(key);
      if (origin === undefined || !this.#generations.has(index)) return true;
      const { name: ledger, position, target } = origin;
      if (to !== undefined && position >= to) return true;
      if (nowMs() > untilMs) return this.#leave(index, key, to);
      let part: FollowedPart | undefined;
      try {
        part = await read({ ledger, uuid: key }, position + 1, to ?? Number.MAX_SAFE_INTEGER);
      } catch (error) {
        this.#fail(index, key, error);
        throw error;
      }
      if (!this.#generations.has(index)) return true;
      const last = part?.events.at(-1)?.position;
      const isEnd = part === undefined || last === undefined;
      if (isEnd && to === undefined) {
        if (target !== position || origin.failure !== null)
          index.accept(key, [], caughtUp(position));
        return true;
      }
      if (part === undefined) return true;
      const reached = to === undefined ? (last ?? position) : part.to;
      const objects = part.events.flatMap(objectsOfLedgerEvent);
      const isBehind = reached < target;
      const change = isBehind ? { position: reached, failure: null } : caughtUp(reached);
      index.accept(key, objects, change);
    }
  }

  /** Notes that entries are left. */
  #leave(index: SearchIndex, key: string, to: number | undefined): false {
    const { position = 0, target = 0, behindMs = null } = index.origin(key) ?? {};
    const wanted = Math.max(target, to ?? position + 1);
    if (wanted !== target || behindMs === null) {
      index.accept(key, [], { target: wanted, behindMs: behindMs ?? this.#ports.nowMs() });
    }
    return false;
  }

  #fail(index: SearchIndex, key: string, error: unknown): void {
    const origin = this.#generations.has(index) ? index.origin(key) : undefined;
    if (origin === undefined) return;
    const failure = error instanceof Error ? error.message : "unknown";
    if (origin.failure === failure) return;
    const { position, target, behindMs } = origin;
    index.accept(key, [], {
      failure,
      target: Math.max(target, position + 1),
      behindMs: behindMs ?? this.#ports.nowMs(),
    });
  }
}

const caughtUp = (position: number): OriginChange => ({
  position,
  target: position,
  behindMs: null,
  failure: null,
});
