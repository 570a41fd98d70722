import { EventRing, isGap, type RingItem } from "./core/event-ring.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";
import { TableSteps } from "#platform/sql/table-steps.ts";

/** Limits of the recording, from which clients that connect again read. In a busy deployment the recording reaches back a few seconds only. */
const RING_LIMITS = { entries: 10_000, length: 16_000_000 };
/** Longest body that is shown, in characters. An SQLite row of an object holds at most two megabytes. */
const BODY_LENGTH_MAX = 500_000;

const STATEMENTS = [
  `CREATE TABLE recording (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    is_on INTEGER NOT NULL,
    last INTEGER NOT NULL,
    idle_since_ms INTEGER
  ) STRICT`,
  "CREATE TABLE entry (sequence INTEGER PRIMARY KEY, item TEXT NOT NULL) STRICT",
];

export const RECORDING_TABLES = new TableSteps("the recording of events", [
  { name: "The recording of events", statements: STATEMENTS },
]);

/**
 * The newest events, in the storage of the object and in memory. The recording is on while a stream is open and for some time
 * after. While it is off, it keeps only the number of the last entry, so that no number is used twice.
 */
export class EventRecording {
  readonly #sql: Sql;
  #ring: EventRing;
  #isOn: boolean;
  #idleSinceMs: number | undefined;
  /** The newest entry that the last reader can have read before it left. After a restart this number is not known, and the newest entry counts. */
  #readUpTo: number;

  constructor(sql: Sql) {
    this.#sql = sql;
    RECORDING_TABLES.migrateToEnd(sql);
    const [state] = sql.all<{ is_on: number; idle_since_ms: number | null }>(
      "SELECT is_on, idle_since_ms FROM recording",
    );
    this.#isOn = state?.is_on === 1;
    this.#idleSinceMs = state?.idle_since_ms ?? undefined;
    this.#ring = this.#load();
    this.#readUpTo = this.#ring.shown;
  }

  get ring(): EventRing {
    return this.#ring;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Since when no stream is open, in milliseconds since the epoch; undefined while one is open. */
  get idleSinceMs(): number | undefined {
    return this.#idleSinceMs;
  }

  /** Whether entries were dropped that no reader has seen. Every reader that comes back has then missed some, even if recording continues. */
  get isOutrun(): boolean {
    return this.#ring.floor > this.#readUpTo;
  }

  /** Notes that no stream has been open since a time, in milliseconds since the epoch, or that one is open now (undefined). */
  setIdleSince(idleSinceMs: number | undefined): void {
    this.#readUpTo = this.#ring.shown;
    this.#store({ isOn: this.#isOn, last: this.#ring.floor, idleSinceMs });
  }

  /**
   * Begins to record. The ring leaves out one number, so that a client that has read an earlier entry is told of a gap: events of
   * the time in between were not recorded.
   */
  start(nowMs: number): void {
    this.#empty({ isOn: true, last: this.#ring.last + 1, idleSinceMs: nowMs });
    this.#readUpTo = this.#ring.last;
  }

  stop(): void {
    this.#empty({ isOn: false, last: this.#ring.last, idleSinceMs: undefined });
  }

  /** Stores the items that are new. Readers see them once the ring shows them; the caller lets it do so when the items are on disk. */
  add(items: readonly RingItem[]): void {
    const added = this.#ring.add(items.map(bounded));
    if (added.length === 0) return;
    const rows = added.map(({ sequence, item }) =>
      ENTRY.rowText({ sequence, item: stringifyJson(item) }),
    );
    try {
      this.#sql.transaction(() => {
        for (const chunk of chunksOf(rows)) this.#sql.all(INSERT, `[${chunk.join()}]`);
        this.#sql.all("DELETE FROM entry WHERE sequence <= ?", this.#ring.floor);
      });
    } catch (error) {
      this.#ring = this.#load(); // the stored entries are the true ones
      throw error;
    }
  }

  #empty(state: RecordingState): void {
    this.#sql.transaction(() => {
      this.#sql.all("DELETE FROM entry");
      this.#store(state);
    });
    this.#ring = new EventRing(state.last, RING_LIMITS);
  }

  #store({ isOn, last, idleSinceMs }: RecordingState): void {
    this.#sql.all(
      "INSERT OR REPLACE INTO recording (id, is_on, last, idle_since_ms) VALUES (1, ?, ?, ?)",
      isOn ? 1 : 0,
      last,
      idleSinceMs ?? null,
    );
    this.#isOn = isOn;
    this.#idleSinceMs = idleSinceMs;
  }

  #load(): EventRing {
    const [state] = this.#sql.all<{ last: number }>("SELECT last FROM recording");
    const rows = this.#sql.all<{ sequence: number; item: string }>(
      "SELECT sequence, item FROM entry ORDER BY sequence",
    );
    const before = rows[0] === undefined ? (state?.last ?? 0) : rows[0].sequence - 1;
    const ring = new EventRing(before, RING_LIMITS);
    ring.add(rows.map(({ item }) => parseJson(item) as RingItem)); // `add` has written the column
    ring.show(ring.last);
    return ring;
  }
}

interface RecordingState {
  readonly isOn: boolean;
  /** The number before the first entry. */
  readonly last: number;
  readonly idleSinceMs: number | undefined;
}

const ENTRY = jsonColumns("sequence", "item");
const INSERT = `INSERT INTO entry (sequence, item) SELECT ${ENTRY.items.sequence}, ${ENTRY.items.item} FROM json_each(?)`;

function bounded(item: RingItem): RingItem {
  if (isGap(item) || item.body.length <= BODY_LENGTH_MAX) return item;
  const { id, name, body } = item;
  const reason = `the event ${id}, ${name}, has ${body.length} characters; at most ${BODY_LENGTH_MAX} are shown`;
  return { reason };
}
