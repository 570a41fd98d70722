import { SearchIndex } from "./search-index.ts";
import { FORMAT, SHARD_TABLES } from "./tables.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** An index of a shard, and what is known of it. */
export interface IndexGeneration {
  readonly index: SearchIndex;
  readonly format: number;
  /** Since when it is built or, if it serves, since when it has served, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The number in the catalogue of ledgers up to which the index follows the ledgers of the shard. */
  readonly catalogue: number;
  /** Whether all ledgers that there were at its beginning are followed. */
  readonly isListed: boolean;
}

type Row = {
  id: number;
  format: number;
  is_serving: number;
  is_listed: number;
  since_ms: number;
  catalogue: number;
};

/**
 * The indexes of a shard: one serves, and while another one is built both get what is new.
 *
 *     serving 3  ───────────── searches ────────────────────────┐
 *                    ▲ events                                   │ deleted
 *     rebuild ─► building 4  ── reads logs and lists ─► complete ─► serving 4
 */
export class Generations {
  readonly #sql: Sql;
  #serving: IndexGeneration | undefined;
  #building: IndexGeneration | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
    SHARD_TABLES.migrateToEnd(sql);
    for (const row of sql.all<Row>("SELECT * FROM generation ORDER BY id")) {
      const generation = toGeneration(row, new SearchIndex(sql, row.id));
      if (row.is_serving === 1) this.#serving = generation;
      else this.#building = generation;
    }
  }

  /** The index that answers; undefined before anything was indexed. */
  get serving(): IndexGeneration | undefined {
    return this.#serving;
  }

  get building(): IndexGeneration | undefined {
    return this.#building;
  }

  /** All indexes, the one that serves first. */
  get all(): IndexGeneration[] {
    return [this.#serving, this.#building].filter((one) => one !== undefined);
  }

  /** Whether an index still exists. */
  has(index: SearchIndex): boolean {
    return this.all.some((one) => one.index === index);
  }

  byId(id: number): IndexGeneration | undefined {
    return this.all.find(({ index }) => index.id === id);
  }

  /** The index that serves, which is made if there is none. */
  ensureServing(nowMs: number): IndexGeneration {
    this.#serving ??= this.#create(nowMs, true);
    return this.#serving;
  }

  /** Begins to build an index. The one that is being built is dropped. */
  startBuilding(nowMs: number): void {
    this.#sql.transaction(() => {
      if (this.#building !== undefined) this.#delete(this.#building);
      this.#building = this.#create(nowMs, false);
    });
  }

  /** Notes up to which number in the catalogue of ledgers an index follows the ledgers, and whether that was the last number. */
  list(
    { index, ...generation }: IndexGeneration,
    { catalogue, isLast }: { catalogue: number; isLast: boolean },
  ): void {
    const isListed = generation.isListed || isLast;
    if (catalogue === generation.catalogue && isListed === generation.isListed) return;
    this.#sql.all(
      "UPDATE generation SET catalogue = ?, is_listed = ? WHERE id = ?",
      catalogue,
      isListed ? 1 : 0,
      index.id,
    );
    this.#replace({ ...generation, index, catalogue, isListed });
  }

  /** Lets the index that was built serve, and deletes the one that served. */
  promote(nowMs: number): void {
    const [built, former] = [this.#building, this.#serving];
    if (built === undefined) return;
    this.#sql.transaction(() => {
      if (former !== undefined) this.#delete(former);
      this.#sql.all(
        "UPDATE generation SET is_serving = 1, since_ms = ? WHERE id = ?",
        nowMs,
        built.index.id,
      );
    });
    this.#serving = { ...built, sinceMs: nowMs };
    this.#building = undefined;
  }

  #create(nowMs: number, isServing: boolean): IndexGeneration {
    return this.#sql.transaction(() => {
      const [row] = this.#sql.all<Row>(
        "INSERT INTO generation (format, is_serving, since_ms) VALUES (?, ?, ?) RETURNING *",
        FORMAT,
        isServing ? 1 : 0,
        nowMs,
      );
      if (row === undefined) throw new Error("the generation was not stored");
      return toGeneration(row, SearchIndex.create(this.#sql, row.id));
    });
  }

  #delete({ index }: IndexGeneration): void {
    index.drop();
    this.#sql.all("DELETE FROM generation WHERE id = ?", index.id);
  }

  #replace(generation: IndexGeneration): void {
    const { id } = generation.index;
    if (this.#serving?.index.id === id) this.#serving = generation;
    else if (this.#building?.index.id === id) this.#building = generation;
  }
}

const toGeneration = (row: Row, index: SearchIndex): IndexGeneration => ({
  index,
  format: row.format,
  sinceMs: row.since_ms,
  catalogue: row.catalogue,
  isListed: row.is_listed === 1,
});
