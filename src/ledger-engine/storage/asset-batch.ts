import type { WriteRows } from "./insertion.ts";
import type { RowCache } from "./row-cache.ts";
import { ASSETS_MAX } from "#ledger-engine/rules/limits.ts";
import type { Asset } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import { quoteJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Most precisions of one asset that `scalesOf` reads. */
const SCALES_MAX = 100;

const INSERT_ASSETS =
  "INSERT INTO asset (id, name) SELECT value ->> 0, value ->> 1 FROM json_each(?)";

/** The ids of assets, and the rows of new assets that wait to be written. */
export class AssetBatch {
  readonly #sql: Sql;
  readonly #cache: RowCache;
  #rows: string[] = [];
  #next: number;

  constructor(sql: Sql, cache: RowCache, lastId: number) {
    this.#sql = sql;
    this.#cache = cache;
    this.#next = lastId + 1;
  }

  /** The number of assets, which are never deleted and whose ids have no gaps. */
  get count(): number {
    return this.#next - 1;
  }

  find(name: Asset): number | undefined {
    return this.#cache.asset(name);
  }

  /** The id of an asset, which is created if it does not exist. */
  use(name: Asset): number {
    const known = this.find(name);
    if (known !== undefined) return known;
    const id = this.#next++;
    this.#cache.setAsset(name, id);
    this.#rows.push(`[${id},${quoteJson(name)}]`);
    return id;
  }

  /** Throws `VALIDATION` if the new assets of these moves would exceed the limit of the ledger. */
  assertRoomFor(moves: readonly { readonly asset: Asset }[]): void {
    let unknown: Set<Asset> | undefined;
    for (const { asset } of moves) {
      if (this.find(asset) === undefined) (unknown ??= new Set()).add(asset);
    }
    if (unknown !== undefined && this.#next + unknown.size > ASSETS_MAX) {
      throw new AppError("VALIDATION", `a ledger holds at most ${ASSETS_MAX} assets`);
    }
  }

  /** The stored assets with this name, in all precisions, such as `EUR` and `EUR/2`. */
  scalesOf(base: string): Asset[] {
    const rows = this.#sql.all<{ name: Asset }>(
      // The character `0` follows `/`, so that the range has exactly the names that begin with the base and `/`.
      "SELECT name FROM asset WHERE name = ?1 OR (name > ?1 || '/' AND name < ?1 || '0') ORDER BY name LIMIT ?2 + 0",
      base,
      SCALES_MAX,
    );
    return rows.map(({ name }) => name);
  }

  flush(write: WriteRows): void {
    write(INSERT_ASSETS, this.#rows);
  }

  clear(): void {
    this.#rows = [];
  }

  /** Continues to count behind an id, after a rollback. */
  reset(lastId: number): void {
    this.#next = lastId + 1;
  }
}
