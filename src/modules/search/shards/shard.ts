import type { IndexedObject } from "#modules/search/core/indexed.ts";
import { EVENT_KINDS, isKind, type Kind } from "#modules/search/core/kinds.ts";
import { type FollowerPorts, LogFollower } from "#modules/search/engine/follower.ts";
import type { IndexGeneration, Generations } from "#modules/search/engine/generations.ts";
import type {
  Candidates,
  IndexQuery,
  Origin,
  SearchIndex,
} from "#modules/search/engine/search-index.ts";
import { FORMAT } from "#modules/search/engine/tables.ts";

/** A ledger, and its number in the catalogue. */
export interface CataloguedLedger {
  readonly name: string;
  readonly uuid: string;
}

/** What the sweep has to do for an index of a shard. */
export interface IndexTask {
  readonly generation: number;
  /** The number in the catalogue up to which the ledgers of the shard are followed. */
  readonly catalogue: number;
  /** The kinds whose lists are not read to their ends, with the cursors of the next pages; empty at first. */
  readonly walks: readonly { readonly kind: Kind; readonly cursor: string }[];
}

/** How an index is, for operators. */
export interface IndexState {
  readonly generation: number;
  readonly sinceMs: number;
  /** The number of logs and lists that the index follows. */
  readonly origins: number;
  /** The number of objects that wait for the full-text table, and are found nevertheless. */
  readonly pending: number;
  /** Logs and lists that the index has not read to their ends, the oldest first, at most `BEHIND_MAX`. */
  readonly behind: readonly Origin[];
  readonly behindCount: number;
}

export interface ShardState {
  readonly bytes: number;
  readonly serving?: IndexState | undefined;
  readonly building?: IndexState | undefined;
}

export interface ShardAnswer {
  /** The number of the index that has answered, which rows belong to. */
  readonly generation: number;
  readonly answers: readonly Candidates[];
}

/** How long a caller waits for an index to follow a log, in milliseconds. The alarm does the rest. */
const ADVANCE_MS = 1500;
/** Number of entries by which an index that is being built may be behind, and gets new entries at once. */
const NEAR = 2000;
/** How long one alarm follows logs, in milliseconds. */
const ALARM_MS = 10_000;
/** How often the log of a ledger is looked at because it is searched, in milliseconds. */
const PROBE_MS = 30_000;
/** Most logs that one sweep looks at. */
const PROBES_PER_SWEEP = 100;
const BEHIND_MAX = 20;

const NOTHING: Candidates = { candidates: [], isPartial: false };

/** The rules of a shard: which indexes get what, and when an index that was built serves. */
export class Shard {
  readonly #generations: Generations;
  readonly #follower: LogFollower;
  readonly #nowMs: () => number;
  /** When the log of an origin was looked at last, in milliseconds since the epoch. */
  readonly #probedMs = new Map<string, number>();
  #probeFrom = 0;

  constructor(generations: Generations, ports: FollowerPorts) {
    this.#generations = generations;
    this.#follower = new LogFollower(generations, ports);
    this.#nowMs = ports.nowMs;
  }

  /** Whether logs are left to read. */
  get isBehind(): boolean {
    return this.#generations.all.some(({ index }) => index.origins().some(isLogBehind));
  }

  /** Indexes the entries of a ledger's log up to one. Returns false if the alarm has to go on. */
  async advance({ name, uuid }: CataloguedLedger, to: number | undefined): Promise<boolean> {
    const nowMs = this.#nowMs();
    const { index } = this.#generations.ensureServing(nowMs);
    index.follow({ key: uuid, name });
    const range = { untilMs: nowMs + ADVANCE_MS, ...(to === undefined ? {} : { to }) };
    const isDone = await this.#follower.catchUp(index, uuid, range);
    const building = this.#generations.building?.index;
    if (building === undefined) return isDone;
    const { position, target } = building.follow({ key: uuid, name });
    const end = index.origin(uuid)?.position ?? position;
    if (end - position <= NEAR)
      return (await this.#follower.catchUp(building, uuid, range)) && isDone;
    if (end > target) building.accept(uuid, [], { target: end, behindMs: nowMs });
    return false;
  }

  /** Follows logs that are behind for some time, and lets a complete index serve. */
  async pull(): Promise<void> {
    const untilMs = this.#nowMs() + ALARM_MS;
    const failures: unknown[] = [];
    for (const { index } of this.#generations.all) {
      for (const { key } of index.origins().filter(isLogBehind)) {
        if (this.#nowMs() > untilMs) return;
        try {
          await this.#follower.catchUp(index, key, { untilMs });
        } catch (error) {
          failures.push(error); // The other logs can be read, perhaps.
        }
      }
    }
    this.#promoteIfComplete();
    if (failures.length > 0) throw new AggregateError(failures, "logs could not be read");
  }

  /** Stores objects of a kind that events have told of. */
  accept(kind: Kind, objects: readonly IndexedObject[]): void {
    this.#generations.ensureServing(this.#nowMs());
    for (const { index } of this.#generations.all) {
      index.follow({ key: kind, name: "", walk: "" });
      index.accept(kind, objects);
    }
  }

  /** Stores a page of the list of a kind, and the cursor of the next one; null at the end of the list. */
  load(
    generation: number,
    { kind, objects, next }: { kind: Kind; objects: readonly IndexedObject[]; next: string | null },
  ): void {
    this.#generations.byId(generation)?.index.accept(kind, objects, {
      walk: next,
      ...(next === null ? { behindMs: null, failure: null } : {}),
    });
    this.#promoteIfComplete();
  }

  /** Has the list of a kind read again, because events were lost. */
  rewalk(kind: Kind): void {
    const { index } = this.#generations.ensureServing(this.#nowMs());
    index.follow({ key: kind, name: "", walk: "" });
    index.accept(kind, [], { walk: "", behindMs: this.#nowMs() });
  }

  /** Follows ledgers of the catalogue. `isLast` says that the catalogue has no more. */
  register(
    generation: number,
    ledgers: readonly CataloguedLedger[],
    listed: { readonly catalogue: number; readonly isLast: boolean },
  ): void {
    const found = this.#generations.byId(generation);
    if (found === undefined) return;
    for (const { name, uuid } of ledgers) {
      if (found.index.origin(uuid) !== undefined) continue;
      const { position } = found.index.follow({ key: uuid, name });
      found.index.accept(uuid, [], { target: position + 1, behindMs: this.#nowMs() });
    }
    this.#generations.list(found, listed);
    this.#promoteIfComplete();
  }

  /** What the sweep has to do. `kinds` are those whose objects belong to this shard. */
  tasks(kinds: readonly Kind[]): IndexTask[] {
    const nowMs = this.#nowMs();
    const serving = this.#generations.ensureServing(nowMs);
    const isOld = serving.format !== FORMAT && this.#generations.building === undefined;
    if (isOld) this.#generations.startBuilding(nowMs);
    return this.#generations.all.map(({ index, catalogue }) => {
      for (const kind of kinds) index.follow({ key: kind, name: "", walk: "" });
      const walks = index
        .origins()
        .flatMap(({ key, walk }) =>
          walk !== null && isKind(key) ? [{ kind: key, cursor: walk }] : [],
        );
      return { generation: index.id, catalogue, walks };
    });
  }

  /** Begins to build a new index. */
  rebuild(): void {
    const nowMs = this.#nowMs();
    this.#generations.ensureServing(nowMs);
    this.#generations.startBuilding(nowMs);
  }

  /** Answers searches. */
  find(queries: readonly IndexQuery[]): ShardAnswer {
    const serving = this.#generations.serving?.index;
    if (serving === undefined) return { generation: 0, answers: queries.map(() => NOTHING) };
    return { generation: serving.id, answers: queries.map((query) => serving.find(query)) };
  }

  /** The row of an object in the index that serves; undefined if the index does not have it. */
  rowOf(kind: Kind, key: string, ledger: string): { generation: number; row: number } | undefined {
    const serving = this.#generations.serving?.index;
    const row = serving?.rowOf(kind, key, ledger);
    return serving === undefined || row === undefined ? undefined : { generation: serving.id, row };
  }

  /** Looks at the logs of ledgers that are searched by name. Imported entries, of which no event tells, are found so. */
  async probe(ledgers: readonly string[]): Promise<void> {
    const serving = this.#generations.serving?.index;
    const nowMs = this.#nowMs();
    const due = (serving?.origins() ?? []).filter(
      ({ key, name }) =>
        ledgers.includes(name) && nowMs - (this.#probedMs.get(key) ?? -PROBE_MS) >= PROBE_MS,
    );
    if (serving !== undefined) await this.#look(serving, due);
  }

  /** Looks at some logs, others at each call, in case that a message was lost. */
  async probeNext(): Promise<void> {
    const serving = this.#generations.serving?.index;
    if (serving === undefined) return;
    const origins = serving.origins().filter(({ name }) => name !== "");
    const from = this.#probeFrom >= origins.length ? 0 : this.#probeFrom;
    this.#probeFrom = from + PROBES_PER_SWEEP;
    await this.#look(serving, origins.slice(from, this.#probeFrom));
  }

  state(bytes: number): ShardState {
    const { serving, building } = this.#generations;
    return {
      bytes,
      serving: serving === undefined ? undefined : stateOf(serving),
      building: building === undefined ? undefined : stateOf(building),
    };
  }

  async #look(index: SearchIndex, origins: readonly Origin[]): Promise<void> {
    const untilMs = this.#nowMs() + ALARM_MS;
    for (const { key } of origins) {
      if (this.#nowMs() > untilMs) return;
      this.#probedMs.set(key, this.#nowMs());
      await this.#follower.catchUp(index, key, { untilMs });
    }
  }

  /** Lets the index that is being built serve, once it has all that the serving one has. */
  #promoteIfComplete(): void {
    const { serving, building } = this.#generations;
    if (building === undefined || !building.isListed) return;
    const { index } = building;
    const kinds = index.origins().filter(({ key }) => isKind(key));
    const hasKinds = (serving?.index.origins() ?? [])
      .filter(({ key }) => isKind(key))
      .every(({ key }) => kinds.some((origin) => origin.key === key));
    const isRead = index.origins().every((origin) => !isLogBehind(origin) && origin.walk === null);
    if (!hasKinds || !isRead) return;
    const short = (serving?.index.origins() ?? []).filter(({ key, position }) => {
      const built = index.origin(key);
      return built !== undefined && built.position < position;
    });
    for (const { key, position } of short) {
      index.accept(key, [], { target: position, behindMs: this.#nowMs() });
    }
    if (short.length === 0) this.#generations.promote(this.#nowMs());
  }
}

const isLogBehind = ({ name, position, target }: Origin): boolean =>
  name !== "" && position < target;

function stateOf({ index, sinceMs }: IndexGeneration): IndexState {
  const origins = index.origins();
  const behind = origins
    .filter((origin) => isLogBehind(origin) || origin.walk !== null)
    .toSorted((a, b) => (a.behindMs ?? Infinity) - (b.behindMs ?? Infinity));
  return {
    generation: index.id,
    sinceMs,
    origins: origins.length,
    pending: index.pendingCount,
    behind: behind.slice(0, BEHIND_MAX),
    behindCount: behind.length,
  };
}

/** The kinds that a shard holds, of those that events tell of. */
export const kindsOf = (shard: number, shardOf: (name: string) => number): Kind[] =>
  EVENT_KINDS.filter((kind) => shardOf(kind) === shard);
