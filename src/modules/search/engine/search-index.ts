import { MatchExpressions } from "./expression.ts";
import { isOfLedger, prefixOf, rowAfter, type Slot, slotOfRow, Slots } from "./slots.ts";
import { dropStatements, indexStatements, tablesOf } from "./tables.ts";
import type { IndexedObject } from "#modules/search/core/indexed.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import { type Clause, fitsTokens, type TermPolicy } from "#modules/search/core/terms.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import { parseColumns, stringifyJson } from "#platform/json.ts";
import { chunksOf, first, type Sql } from "#platform/sql/sql.ts";

/** What an index follows: the log of a ledger, or the objects of a kind. */
export interface Origin {
  readonly id: number;
  /** The id of a ledger, or the name of a kind. */
  readonly key: string;
  /** The name of the ledger; empty for a kind. */
  readonly name: string;
  /** The last entry of the log that is indexed; -1 for none. */
  readonly position: number;
  /** The last entry that is known to exist. */
  readonly target: number;
  /** Since when the position is behind the target, in milliseconds since the epoch; null if it is not. */
  readonly behindMs: number | null;
  /** Why the log could not be read at the last attempt. */
  readonly failure: string | null;
  /** How far the list of the kind's objects is read; null if it is read, or if the origin is a ledger. */
  readonly walk: string | null;
}

export type OriginChange = Partial<
  Pick<Origin, "position" | "target" | "behindMs" | "failure" | "walk">
>;

/** A search in one index. */
export interface IndexQuery {
  readonly kind: Kind;
  readonly clauses: readonly Clause[];
  readonly policy: TermPolicy;
  /** The names of the only ledgers that count; undefined for all. */
  readonly ledgers?: readonly string[] | undefined;
  /** The patterns of the ledgers that the principal may touch; empty for all. */
  readonly patterns: readonly string[];
  /** The row after which the answer begins. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** An object that may match. */
export interface IndexCandidate {
  readonly key: string;
  /** The ledger of the object; empty for none. */
  readonly ledger: string;
  readonly row: number;
}

export interface Candidates {
  readonly candidates: readonly IndexCandidate[];
  /** Whether objects may be missing, because a beginning of a word stands for too many words. */
  readonly isPartial: boolean;
}

/** Objects of an origin that wait before they go into the full-text table together: more cost fewer rows, and take longer to look through. */
const PENDING_MAX = 64;

/** Tokens by row. */
type Pending = ReadonlyMap<number, readonly string[]>;
interface Followed {
  origin: Origin;
  pending: Pending;
}
type OriginRow = {
  id: number;
  key: string;
  name: string;
  position: number;
  target: number;
  behind_ms: number | null;
  failure: string | null;
  walk: string | null;
  pending: string;
};

/**
 * An inverted index of objects, on a synchronous SQL interface:
 *
 *     accept ─► row of the origin: position, and up to 64 objects with their tokens ─► FTS5, 64 or more objects at once
 *                                        │                                              │
 *     find ──────────────────────────────┴──────────────────────────────────────────────┘
 *
 * The objects and the position of their origin are stored together, so that after a crash no object is missing, whose entry counts as
 * indexed. Objects are never taken out: an object that has changed is found by its former tokens, too, and whoever reads it drops it.
 */
export class SearchIndex {
  readonly id: number;
  readonly #sql: Sql;
  readonly #tables: ReturnType<typeof tablesOf>;
  readonly #expressions: MatchExpressions;
  #slots: Slots;
  #origins: Map<string, Followed>;

  constructor(sql: Sql, id: number) {
    this.id = id;
    this.#sql = sql;
    this.#tables = tablesOf(id);
    this.#expressions = new MatchExpressions(sql, this.#tables);
    this.#slots = new Slots(sql, id);
    this.#origins = this.#readOrigins();
  }

  /** Makes an empty index. */
  static create(sql: Sql, id: number): SearchIndex {
    for (const statement of indexStatements(id)) sql.all(statement);
    return new SearchIndex(sql, id);
  }

  /** Deletes the tables of the index, which is not used afterwards. */
  drop(): void {
    for (const statement of dropStatements(this.id)) this.#sql.all(statement);
  }

  origin(key: string): Origin | undefined {
    return this.#origins.get(key)?.origin;
  }

  origins(): Origin[] {
    return [...this.#origins.values()].map(({ origin }) => origin);
  }

  /** The number of objects that are not in the full-text table yet. */
  get pendingCount(): number {
    return [...this.#origins.values()].reduce((sum, { pending }) => sum + pending.size, 0);
  }

  /** The origin of a key, which is added if it is new. */
  follow({ key, name, walk = null }: Pick<Origin, "key" | "name"> & Partial<Origin>): Origin {
    const known = this.origin(key);
    if (known !== undefined) return known;
    const row = first(
      this.#sql.all<OriginRow>(
        `INSERT INTO ${this.#tables.origin} (key, name, position, target, walk) VALUES (?, ?, -1, -1, ?) RETURNING *`,
        key,
        name,
        walk,
      ),
    );
    const followed = toFollowed(row);
    this.#origins.set(key, followed);
    return followed.origin;
  }

  /** Stores objects of an origin together with a change of the origin. */
  accept(key: string, objects: readonly IndexedObject[], change: OriginChange = {}): void {
    const followed = this.#origins.get(key);
    if (followed === undefined) throw new Error(`the index does not follow ${key}`);
    try {
      this.#sql.transaction(() => this.#store(followed, objects, change));
    } catch (error) {
      // What is in memory may be ahead of what is stored.
      this.#slots = new Slots(this.#sql, this.id);
      this.#origins = this.#readOrigins();
      throw error;
    }
  }

  /** The first objects that may match, after a row: slot by slot, and within a slot the newest first. */
  find(query: IndexQuery): Candidates {
    const candidates: IndexCandidate[] = [];
    let isPartial = false;
    for (const { slot, followed } of this.#slotsOf(query)) {
      const limit = query.limit - candidates.length;
      if (limit <= 0) break;
      const expression = this.#expressions.of(slot, query.clauses, query.policy);
      isPartial ||= expression.isPartial;
      const rows = this.#rowsIn({ slot, followed, text: expression.text }, query, limit);
      const keys = this.#slots.keysOf(slot, rows);
      for (const row of rows) {
        const objectKey = keys.get(row);
        if (objectKey !== undefined)
          candidates.push({ key: objectKey, ledger: followed.origin.name, row });
      }
    }
    return { candidates, isPartial };
  }

  /** The row of an object; undefined if the index does not have it. `ledger` is empty for objects of no ledger. */
  rowOf(kind: Kind, key: string, ledger: string): number | undefined {
    for (const { origin } of this.#origins.values()) {
      if (isOfLedger(kind) ? origin.name !== ledger : origin.key !== kind) continue;
      const row = this.#slots.find(origin.id, kind, key);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  #store(followed: Followed, objects: readonly IndexedObject[], change: OriginChange): void {
    const { origin } = followed;
    const pending = new Map(followed.pending);
    for (const [kind, ofKind] of Map.groupBy(objects, (object) => object.kind)) {
      const keys = ofKind.map(({ key }) => key);
      const { rows, added } = this.#slots.placesOf(origin.id, kind, keys);
      for (const { key, tokens, isNamed = false } of ofKind) {
        const row = rows.get(key);
        if (row === undefined || (isNamed && !added.has(key))) continue;
        const known = pending.get(row) ?? [];
        pending.set(row, [...new Set([...known, ...tokens])]);
      }
    }
    const isFull = pending.size >= PENDING_MAX;
    if (isFull) this.#index(pending);
    this.#update(followed, { ...origin, ...change }, isFull ? new Map() : pending);
  }

  /** Puts objects into the full-text table. Ascending rows become one segment of it. */
  #index(pending: Pending): void {
    const rows = [...pending]
      .toSorted(([a], [b]) => a - b)
      .map(([row, tokens]) => {
        const prefix = prefixOf(slotOfRow(row));
        return stringifyJson([row, tokens.map((token) => `${prefix}${token}`).join(" ")]);
      });
    const insert = `INSERT INTO ${this.#tables.text} (rowid, tokens) SELECT value ->> 0, value ->> 1 FROM json_each(?)`;
    for (const chunk of chunksOf(rows)) this.#sql.all(insert, `[${chunk.join()}]`);
  }

  #update(followed: Followed, origin: Origin, pending: Pending): void {
    this.#sql.all(
      `UPDATE ${this.#tables.origin} SET position = ?, target = ?, behind_ms = ?, failure = ?, walk = ?, pending = ? WHERE id = ?`,
      origin.position,
      origin.target,
      origin.behindMs,
      origin.failure,
      origin.walk,
      stringifyJson([...pending].map(([row, tokens]) => [row, tokens.join(" ")])),
      origin.id,
    );
    followed.origin = origin;
    followed.pending = pending;
  }

  /** The slots that a query looks through, in its order. */
  *#slotsOf({ kind, ledgers, patterns, after }: IndexQuery): Generator<SlotOfOrigin> {
    const byId = new Map(
      [...this.#origins.values()].map((followed) => [followed.origin.id, followed]),
    );
    const last = after === undefined ? Infinity : slotOfRow(after);
    for (const slot of this.#slots.ofKind(kind).toReversed()) {
      const followed = byId.get(slot.origin);
      if (followed === undefined || slot.id > last) continue;
      const { name } = followed.origin;
      const isAllowed =
        !isOfLedger(kind) ||
        (allowsLedger(patterns, name) && (ledgers === undefined || ledgers.includes(name)));
      if (isAllowed) yield { slot, followed };
    }
  }

  /** The rows of a slot that may match, the newest first. */
  #rowsIn(
    { slot, followed, text }: SlotOfOrigin & { readonly text: string | undefined },
    { clauses, policy, after = Infinity }: IndexQuery,
    limit: number,
  ): number[] {
    const end = Math.min(after, rowAfter(slot.id));
    const waiting = [...followed.pending]
      .filter(
        ([row, tokens]) =>
          slotOfRow(row) === slot.id && row < end && fitsTokens(tokens, clauses, policy),
      )
      .map(([row]) => row);
    const stored = text === undefined ? [] : this.#storedRows(text, end, limit);
    return [...new Set([...stored, ...waiting])].toSorted((a, b) => b - a).slice(0, limit);
  }

  #storedRows(text: string, end: number, limit: number): number[] {
    const { text: table } = this.#tables;
    return this.#sql
      .all<{ row: number }>(
        `SELECT rowid AS row FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ? + 0`,
        text,
        end,
        limit,
      )
      .map(({ row }) => row);
  }

  #readOrigins(): Map<string, Followed> {
    const rows = this.#sql.all<OriginRow>(`SELECT * FROM ${this.#tables.origin} ORDER BY id`);
    return new Map(rows.map((row) => [row.key, toFollowed(row)]));
  }
}

interface SlotOfOrigin {
  readonly slot: Slot;
  readonly followed: Followed;
}

function toFollowed({ behind_ms: behindMs, pending, ...origin }: OriginRow): Followed {
  const rows = parseColumns(pending) as [number, string][]; // `#update` has written the column
  return {
    origin: { ...origin, behindMs },
    pending: new Map(rows.map(([row, tokens]) => [row, tokens.split(" ")])),
  };
}
