import { DurableObject } from "cloudflare:workers";
import {
  type CataloguedLedger,
  type IndexTask,
  kindsOf,
  Shard,
  type ShardAnswer,
  type ShardState,
} from "./shard.ts";
import { shardOf } from "./shards.ts";
import { rereadLedgerEvents } from "#modules/ledger/index.ts";
import type { IndexedObject } from "#modules/search/core/indexed.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import type { FollowedPart } from "#modules/search/engine/follower.ts";
import { Generations } from "#modules/search/engine/generations.ts";
import type { IndexQuery } from "#modules/search/engine/search-index.ts";
import { searchSettings } from "#modules/search/settings.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { asResult, attempt, type Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { keptSizeIn, SizeGauge } from "#platform/storage/gauge.ts";
import { keepSize } from "#platform/storage/sizes.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";

/**
 * One of the shards of the index. It reads the logs of its ledgers itself, and gets the objects of modules in D1 from the consumer of events:
 *
 *     consumer: "ledger L has entries up to 57" ── advance ──► reads L's log from its position on ─┐
 *     consumer: events of D1 ───────────────────── accept ────────────────────────────────────────┼─► index
 *     sweep: ledgers of the catalogue, pages of lists ── register, load ──────────────────────────┘     │
 *     alarm: logs that are behind ── reads on                                                           │
 *     Worker ──────────────────────────────────── find ◄────────────────────────────────────────────────┘
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | the consumer's call began | no change | the message comes again, because it is confirmed only after the call |
 * | some entries were stored | the position behind them | the next call reads from there |
 * | all entries were stored | the entries and the position | a repeated call finds nothing to do |
 * | some pages of a list were stored | their objects and the cursor of the next page | the sweep goes on there |
 */
export class SearchShardObject extends DurableObject<Env> {
  readonly #shard: Shard;
  readonly #alarms: Alarms<"pull">;
  readonly #gauge: SizeGauge;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const generations = new Generations(durableSql(ctx.storage));
    this.#shard = new Shard(generations, {
      read: (ledger, from, to) => this.#read(ledger, from, to),
      nowMs: () => Date.now(),
    });
    this.#alarms = new Alarms(ctx.storage, { pull: () => this.#pull() });
    this.#gauge = new SizeGauge({
      nowMs: () => Date.now(),
      bytes: () => ctx.storage.sql.databaseSize,
      kept: keptSizeIn(ctx.storage),
      keep: (shard, measured) => keepSize(databaseOf(env), `search/${shard}`, measured),
    });
    void ctx.blockConcurrencyWhile(async () => this.#alarms.inherit(await ctx.storage.getAlarm()));
  }

  /** Indexes the entries of a ledger's log up to one; up to the last one that there is without `to`. The alarm does what takes long. */
  advance(ledger: CataloguedLedger, to?: number): Promise<Result<void>> {
    return asResult(this.#advance(ledger, to));
  }

  /** Stores objects of a kind. */
  accept(kind: Kind, objects: readonly IndexedObject[]): Result<void> {
    return this.#change(() => this.#shard.accept(kind, objects));
  }

  /** Stores a page of the list of a kind, and the cursor of the next one; null at the end. */
  load(
    generation: number,
    page: { kind: Kind; objects: readonly IndexedObject[]; next: string | null },
  ): Result<void> {
    return this.#change(() => this.#shard.load(generation, page));
  }

  rewalk(kind: Kind): Result<void> {
    return this.#change(() => this.#shard.rewalk(kind));
  }

  register(
    generation: number,
    ledgers: readonly CataloguedLedger[],
    listed: { catalogue: number; isLast: boolean },
  ): Result<void> {
    return this.#change(() => this.#shard.register(generation, ledgers, listed));
  }

  rebuild(): Result<void> {
    return this.#change(() => this.#shard.rebuild());
  }

  /** What the sweep has to do. Looks at some logs, too. */
  tasks(): Result<IndexTask[]> {
    this.ctx.waitUntil(this.#quietly(() => this.#shard.probeNext()));
    const shard = Number(this.ctx.id.name);
    return attempt(() => this.#shard.tasks(kindsOf(shard, shardOf)));
  }

  find(queries: readonly IndexQuery[]): Result<ShardAnswer> {
    const named = queries.flatMap(({ ledgers = [] }) => ledgers);
    if (named.length > 0) this.ctx.waitUntil(this.#quietly(() => this.#shard.probe(named)));
    return attempt(() => this.#shard.find(queries));
  }

  rowOf(
    kind: Kind,
    key: string,
    ledger: string,
  ): Result<{ generation: number; row: number } | undefined> {
    return attempt(() => this.#shard.rowOf(kind, key, ledger));
  }

  state(): Result<ShardState> {
    return attempt(() => this.#shard.state(this.ctx.storage.sql.databaseSize));
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    await this.#alarms.ring();
  }

  async #advance(ledger: CataloguedLedger, to: number | undefined): Promise<void> {
    const isDone = await this.#shard.advance(ledger, to);
    if (!isDone) this.#armPull();
    this.#measure();
  }

  #change(change: () => void): Result<void> {
    const result = attempt(change);
    this.#armPull();
    this.#measure();
    return result;
  }

  #armPull(): void {
    if (this.#shard.isBehind && !this.#alarms.isSet("pull")) this.#alarms.set("pull", Date.now());
  }

  async #pull(): Promise<void> {
    if (searchSettings.of(this.env).FLORIN_SEARCH === "off") return;
    await this.#shard.pull();
    this.#armPull();
    this.#measure();
  }

  #measure(): void {
    this.ctx.waitUntil(this.#gauge.look(`${this.ctx.id.name}`));
  }

  /** Does work that another call repeats if it fails. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logError("the search could not read a log; it reads the log again later", error);
    }
    this.#armPull();
  }

  async #read(
    { ledger, uuid }: { readonly ledger: string; readonly uuid: string },
    from: number,
    to: number,
  ): Promise<FollowedPart | undefined> {
    const part = await rereadLedgerEvents(
      { source: "ledger", ledger, uuid, from, to },
      { env: this.env },
    );
    if (part === undefined) return undefined;
    const events = part.events.map(({ id, type, payload }) => ({
      type,
      payload: parseJson(payload),
      position: Number(id.slice(uuid.length + 1)),
    }));
    return { events, to: part.to };
  }
}
