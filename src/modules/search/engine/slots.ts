import { tablesOf } from "./tables.ts";
import { type Kind, KINDS } from "#modules/search/core/kinds.ts";
import { stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** The objects of one kind of an origin. */
export interface Slot {
  readonly id: number;
  /** The number of the origin. */
  readonly origin: number;
  readonly kind: Kind;
  /** The upper part of the numbers of its transactions; 0 for other kinds. */
  readonly high: number;
}

type SlotRow = { id: number; origin: number; kind: string; high: number };

/** The number of objects in a slot, so that a row of the index is an integer that JavaScript holds exactly, for two million slots. */
const SLOT_SIZE = 2 ** 32;

/** The kinds whose objects are numbers, which need no record. */
const isNumbered = (kind: Kind): boolean => kind === "TRANSACTION";

/** The rows of objects in the full-text table, by their keys, and the keys of those that are new. */
export interface Places {
  readonly rows: ReadonlyMap<string, number>;
  readonly added: ReadonlySet<string>;
}

const rowAt = (slot: number, doc: number): number => slot * SLOT_SIZE + doc;
/** The first row behind those of a slot. */
export const rowAfter = (slot: number): number => rowAt(slot + 1, 0);
export const slotOfRow = (row: number): number => Math.floor(row / SLOT_SIZE);
const docOf = (row: number): number => row % SLOT_SIZE;

/** The beginning of the tokens of a slot. No token begins with a digit or a letter, so that no slot reads the tokens of another one. */
export const prefixOf = (slot: number): string => slot.toString(36);

/** The slots of an index, and the rows and ids of its objects. */
export class Slots {
  readonly #sql: Sql;
  readonly #tables: ReturnType<typeof tablesOf>;
  readonly #byId = new Map<number, Slot>();
  readonly #byName = new Map<string, Slot>();

  constructor(sql: Sql, id: number) {
    this.#sql = sql;
    this.#tables = tablesOf(id);
    for (const row of sql.all<SlotRow>(`SELECT * FROM ${this.#tables.slot}`)) this.#add(row);
  }

  /** The slots of a kind, in ascending order. */
  ofKind(kind: Kind): Slot[] {
    return [...this.#byId.values()].filter((slot) => slot.kind === kind);
  }

  get(id: number): Slot | undefined {
    return this.#byId.get(id);
  }

  /** The places of objects of a kind, by their keys. Objects that are new get one. */
  placesOf(origin: number, kind: Kind, keys: readonly string[]): Places {
    if (isNumbered(kind)) {
      const rows = new Map(keys.map((key) => [key, this.#numbered(origin, key)]));
      return { rows, added: new Set() };
    }
    const slot = this.#slot(origin, kind, 0);
    const docs = this.#docsOf(slot.id, keys);
    const added = new Set(keys.filter((key) => !docs.has(key)));
    let doc = added.size === 0 ? 0 : this.#lastDoc(slot.id);
    const records = [...added].map((key) => {
      docs.set(key, ++doc);
      return [doc, key];
    });
    if (records.length > 0) {
      this.#sql.all(
        `INSERT INTO ${this.#tables.record} (slot, doc, key) SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)`,
        slot.id,
        stringifyJson(records),
      );
    }
    return {
      rows: new Map([...docs].map(([key, number]) => [key, rowAt(slot.id, number)])),
      added,
    };
  }

  /** The row of an object that is in the index; undefined for any other. A number may stand for a transaction that does not exist. */
  find(origin: number, kind: Kind, key: string): number | undefined {
    const { high, doc } = isNumbered(kind) ? split(key) : { high: 0, doc: undefined };
    const slot = this.#byName.get(nameOf(origin, kind, high));
    if (slot === undefined) return undefined;
    const number = doc ?? this.#docsOf(slot.id, [key]).get(key);
    return number === undefined ? undefined : rowAt(slot.id, number);
  }

  /** The keys of the objects in rows of a slot. */
  keysOf(slot: Slot, rows: readonly number[]): Map<number, string> {
    if (isNumbered(slot.kind)) {
      const base = BigInt(slot.high) * BigInt(SLOT_SIZE);
      return new Map(rows.map((row) => [row, `${base + BigInt(docOf(row))}`]));
    }
    const found = this.#sql.all<{ doc: number; key: string }>(
      `SELECT doc, key FROM ${this.#tables.record} WHERE slot = ? AND doc IN (SELECT value FROM json_each(?))`,
      slot.id,
      stringifyJson(rows.map(docOf)),
    );
    return new Map(found.map(({ doc, key }) => [rowAt(slot.id, doc), key]));
  }

  #numbered(origin: number, key: string): number {
    const { high, doc } = split(key);
    return rowAt(this.#slot(origin, "TRANSACTION", high).id, doc);
  }

  #slot(origin: number, kind: Kind, high: number): Slot {
    const known = this.#byName.get(nameOf(origin, kind, high));
    if (known !== undefined) return known;
    return this.#add(
      first(
        this.#sql.all<SlotRow>(
          `INSERT INTO ${this.#tables.slot} (origin, kind, high) VALUES (?, ?, ?) RETURNING *`,
          origin,
          kind,
          high,
        ),
      ),
    );
  }

  #add({ id, origin, kind: name, high }: SlotRow): Slot {
    const kind = name as Kind; // `#slot` has written it
    const slot = { id, origin, kind, high };
    this.#byId.set(id, slot);
    this.#byName.set(nameOf(origin, kind, high), slot);
    return slot;
  }

  #docsOf(slot: number, keys: readonly string[]): Map<string, number> {
    const found = this.#sql.all<{ doc: number; key: string }>(
      `SELECT doc, key FROM ${this.#tables.record} WHERE slot = ? AND key IN (SELECT value FROM json_each(?))`,
      slot,
      stringifyJson(keys),
    );
    return new Map(found.map(({ doc, key }) => [key, doc]));
  }

  #lastDoc(slot: number): number {
    const [row] = this.#sql.all<{ doc: number }>(
      `SELECT doc FROM ${this.#tables.record} WHERE slot = ? ORDER BY doc DESC LIMIT 1`,
      slot,
    );
    return row?.doc ?? 0;
  }
}

const nameOf = (origin: number, kind: Kind, high: number): string => `${origin}/${kind}/${high}`;

/** The number of a transaction as the number of its slot and its number in the slot. */
function split(key: string): { high: number; doc: number } {
  const number = BigInt(key);
  const size = BigInt(SLOT_SIZE);
  return { high: Number(number / size), doc: Number(number % size) };
}

/** Whether a kind is found through the log of a ledger. */
export const isOfLedger = (kind: Kind): boolean => KINDS[kind].home === "ledger";
