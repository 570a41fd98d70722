import { describe, expect, test } from "vitest";
import { type IndexedEvent, indexedObject } from "#modules/search/core/indexed.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import { clauseOf, parseTerm } from "#modules/search/core/terms.ts";
import type { FollowedPart } from "#modules/search/engine/follower.ts";
import { Generations } from "#modules/search/engine/generations.ts";
import type { IndexQuery } from "#modules/search/engine/search-index.ts";
import { Shard } from "#modules/search/shards/shard.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const PAGE = 100;

/** A shard on a database of its own, and the logs that it reads. */
class ShardWorld {
  readonly sql = new NodeSql();
  readonly logs = new Map<string, IndexedEvent[]>();
  nowMs = 1_000_000;
  /** The error of the next reads of a log. */
  failure: Error | undefined;
  reads = 0;
  shard = this.open();

  /** The shard as it is after an eviction or a crash. */
  open(): Shard {
    this.shard = new Shard(new Generations(this.sql), {
      read: async ({ uuid }, from, to) => this.#read(uuid, from, to),
      nowMs: () => this.nowMs,
    });
    return this.shard;
  }

  /** Adds transactions to a log; returns the last entry. */
  write(uuid: string, count: number): number {
    const log = this.logs.get(uuid) ?? [];
    this.logs.set(uuid, log);
    for (let at = 0; at < count; at++) {
      const id = log.length + 1;
      const postings = [
        { source: "world", destination: `users:${id}`, amount: BigInt(id), asset: "EUR/2" },
      ];
      const payload = { transactions: [{ id, postings, metadata: { word: `w${id}` } }] };
      log.push({ type: "COMMITTED_TRANSACTIONS", payload });
    }
    return log.length;
  }

  find(term: string, more: Partial<IndexQuery> = {}): string[] {
    const query: IndexQuery = {
      kind: "TRANSACTION",
      clauses: term === "" ? [] : [clauseOf(parseTerm(term))],
      policy: "AND",
      patterns: [],
      limit: 10_000,
      ...more,
    };
    const [answer] = this.shard.find([query]).answers;
    return (answer?.candidates ?? []).map(({ ledger, key }) => `${ledger}/${key}`);
  }

  /** The numbers of the indexes that serve and that are built. */
  get generations() {
    const { serving, building } = this.shard.state(0);
    return [serving?.generation, building?.generation];
  }

  #read(uuid: string, from: number, to: number): FollowedPart | undefined {
    this.reads++;
    if (this.failure !== undefined) throw this.failure;
    const log = this.logs.get(uuid);
    if (log === undefined) return undefined;
    const events = log
      .map((event, at) => ({ ...event, position: at + 1 }))
      .filter(({ position }) => position >= from && position <= to)
      .slice(0, PAGE);
    return { events, to: Math.min(events.at(-1)?.position ?? to, to) };
  }
}

const A = { name: "a", uuid: "uuid-a" };
const B = { name: "b", uuid: "uuid-b" };

describe("a shard follows logs", () => {
  test("entries are indexed once, whatever messages come, in any order and number", async () => {
    const world = new ShardWorld();
    world.write(A.uuid, 250);
    expect(await world.shard.advance(A, 3)).toBe(true);
    expect(await world.shard.advance(A, 250)).toBe(true);
    expect(await world.shard.advance(A, 2)).toBe(true);
    await Promise.all([world.shard.advance(A, 250), world.shard.advance(A, 250)]);
    expect(world.find("")).toHaveLength(250);
    expect(world.find("").slice(0, 2)).toEqual(["a/250", "a/249"]);
    expect(world.find("amount=17")).toEqual(["a/17"]);
    expect(world.find("w24")).toHaveLength(11);
  });

  test("what was stored is there after a crash, in the full-text table and before it", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 70));
    await world.shard.advance(A, world.write(A.uuid, 3));
    world.open();
    expect(world.shard.state(0).serving?.pending).toBeGreaterThan(0);
    expect(world.find("")).toHaveLength(73);
    expect(world.find("w73")).toEqual(["a/73"]);
    expect(world.find("users:1")).toEqual(["a/1"]);
  });

  test("a log that cannot be read is behind, since when and why, until it can be read", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 1));
    world.failure = new Error("the ledger is busy");
    const to = world.write(A.uuid, 1);
    await expect(world.shard.advance(A, to)).rejects.toThrow("busy");
    world.nowMs += 5000;
    await expect(world.shard.pull()).rejects.toThrow("could not be read");
    expect(world.shard.state(0).serving).toMatchObject({
      behindCount: 1,
      behind: [
        { name: "a", position: 1, target: 2, behindMs: 1_000_000, failure: "the ledger is busy" },
      ],
    });
    world.failure = undefined;
    await world.shard.pull();
    expect(world.shard.state(0).serving).toMatchObject({ behindCount: 0 });
    expect(world.find("")).toHaveLength(2);
  });

  test("entries of which no message told are found when the ledger is searched, and by the sweep", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 1));
    world.write(A.uuid, 1);
    await world.shard.probe(["a"]);
    expect(world.find("")).toHaveLength(2);
    world.write(A.uuid, 1);
    await world.shard.probe(["a"]);
    expect(world.find("")).toHaveLength(2);
    await world.shard.probeNext();
    expect(world.find("")).toHaveLength(3);
  });

  test("a purged ledger is no longer behind", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 1));
    world.logs.delete(A.uuid);
    expect(await world.shard.advance(A, undefined)).toBe(true);
    expect(world.shard.isBehind).toBe(false);
  });

  test("only the ledgers count that a search names and its principal may touch", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 2));
    await world.shard.advance(B, world.write(B.uuid, 2));
    expect(world.find("")).toEqual(["b/2", "b/1", "a/2", "a/1"]);
    expect(world.find("", { ledgers: ["a"] })).toEqual(["a/2", "a/1"]);
    expect(world.find("", { patterns: ["b*"] })).toEqual(["b/2", "b/1"]);
    expect(world.find("", { patterns: ["b"], ledgers: ["a"] })).toEqual([]);
  });
});

describe("objects of modules", () => {
  const payment = (id: string, status: string) =>
    indexedObject("PAYMENT", id, { id, status, amount: 5, reference: `ref-${id}` });
  const QUERY = { kind: "PAYMENT" as Kind };

  test("an object that changes keeps its place, and is found by its former and its new values", () => {
    const world = new ShardWorld();
    world.shard.accept("PAYMENT", [payment("p1", "PENDING"), payment("p2", "PENDING")]);
    world.shard.accept("PAYMENT", [payment("p1", "SUCCEEDED")]);
    expect(world.find("", QUERY)).toEqual(["/p2", "/p1"]);
    expect(world.find("status=SUCCEEDED", QUERY)).toEqual(["/p1"]);
    expect(world.find("status=PENDING", QUERY)).toEqual(["/p2", "/p1"]);
    expect(world.shard.rowOf("PAYMENT", "p2", "")?.generation).toBe(1);
    expect(world.shard.rowOf("PAYMENT", "p3", "")).toBeUndefined();
  });

  test("the sweep is told which lists are to be read, from where on", () => {
    const world = new ShardWorld();
    const [task] = world.shard.tasks(["PAYMENT"]);
    expect(task).toEqual({ generation: 1, catalogue: 0, walks: [{ kind: "PAYMENT", cursor: "" }] });
    world.shard.load(1, { kind: "PAYMENT", objects: [payment("p1", "X")], next: "page-2" });
    expect(world.open().tasks(["PAYMENT"])[0]?.walks).toEqual([
      { kind: "PAYMENT", cursor: "page-2" },
    ]);
    world.shard.load(1, { kind: "PAYMENT", objects: [], next: null });
    expect(world.shard.tasks(["PAYMENT"])[0]?.walks).toEqual([]);
    world.shard.rewalk("PAYMENT");
    expect(world.shard.tasks(["PAYMENT"])[0]?.walks).toHaveLength(1);
    expect(world.shard.state(0).serving?.behind).toMatchObject([{ key: "PAYMENT", walk: "" }]);
  });
});

describe("a rebuild", () => {
  test("the old index serves until the new one has everything, also what was written meanwhile", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 120));
    world.shard.accept("PAYMENT", [indexedObject("PAYMENT", "p1", { id: "p1" })]);
    world.shard.rebuild();
    expect(world.generations).toEqual([1, 2]);
    expect(world.find("")).toHaveLength(120);
    await world.shard.advance(A, world.write(A.uuid, 1));
    expect(world.generations).toEqual([1, 2]);
    world.open();
    world.shard.tasks(["PAYMENT"]);
    world.shard.register(2, [A, B], { catalogue: 9, isLast: true });
    world.write(B.uuid, 1);
    await world.shard.pull();
    expect(world.generations).toEqual([1, 2]);
    world.shard.load(2, { kind: "PAYMENT", objects: [], next: null });
    await world.shard.pull();
    expect(world.generations).toEqual([2, undefined]);
    expect(world.find("")).toHaveLength(122);
    expect(world.find("w121")).toEqual(["a/121"]);
    const tables = world.sql.all(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%\\_1%' ESCAPE '\\'",
    );
    expect(tables).toEqual([]);
    world.open();
    expect(world.generations).toEqual([2, undefined]);
    expect(world.shard.tasks([])[0]).toMatchObject({ generation: 2, catalogue: 9 });
  });

  test("a rebuild that is begun again begins with nothing", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 5));
    world.shard.rebuild();
    world.shard.rebuild();
    expect(world.generations).toEqual([1, 3]);
    world.shard.register(3, [A], { catalogue: 1, isLast: true });
    await world.shard.pull();
    expect(world.generations[1]).toBeUndefined();
    expect(world.find("")).toHaveLength(5);
  });

  test("an index of another format is replaced by a new one", async () => {
    const world = new ShardWorld();
    await world.shard.advance(A, world.write(A.uuid, 5));
    world.sql.all("UPDATE generation SET format = 0");
    world.open();
    expect(world.find("")).toHaveLength(5);
    world.shard.tasks([]);
    expect(world.generations).toEqual([1, 2]);
  });
});
