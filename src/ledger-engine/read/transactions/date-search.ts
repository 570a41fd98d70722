import { followDated, MovePath } from "./account-moves.ts";
import { isAllDates, type Range } from "./date-ranges.ts";
import { followRows, PROBE_ROWS } from "./row-streams.ts";
import { idsIn, type Plan } from "./transaction-plan.ts";
import type { DateColumn, TransactionRow, TransactionRows } from "./transaction-rows.ts";
import { groupsOf, Pace, Part } from "#ledger-engine/read/scan/batch-sizer.ts";
import {
  ALL_IDS,
  behind,
  FEW_ENTRIES,
  type IdPath,
  intersection,
  isEmpty,
  NO_IDS,
  type Reading,
  shorterThan,
  shortest,
  type Span,
} from "#ledger-engine/read/scan/id-scan.ts";
import { mergeStreams } from "#ledger-engine/read/scan/merge.ts";
import {
  comparePlaces,
  type Place,
  placeBehind,
  type PlaceReading,
} from "#ledger-engine/read/scan/sort-key.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { Order } from "#platform/paging/pagination.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { MICROS_MAX, MICROS_MIN } from "#platform/time.ts";

/** Entries of a path that are sorted by a date in the time of one row, and at most. */
const SORTED_PER_ROW = 3;
const SORTED_MAX = 50_000;
/** Ids that are sorted by a date at a time, and places that are kept of all of them at first. */
const PAGE_IDS = 5000;
const PLACES_FIRST = 256;
/** Ids that are passed over at a time, at first and at most, where nearly all rows have a date of their own. */
const WINDOW_MIN = 256;
const WINDOW_MAX = 100_000;

export interface DateSearchSources {
  readonly sql: Sql;
  readonly reader: TransactionReader;
  readonly rows: TransactionRows;
}

/** What is searched. */
export interface DateSearched {
  readonly column: DateColumn;
  readonly plan: Plan;
  /** The dates of the column that the filter allows. */
  readonly allowed: Range;
  /** The last date that counts. */
  readonly until: bigint;
}

/** How it is read, from where on and up to where apart. */
type Way = Omit<PlaceReading, "from" | "until">;

/** A row at its place in the list; without a row, it only tells that none comes before. */
interface Candidate {
  readonly place: Place;
  readonly row?: TransactionRow;
}

/**
 * Finds the rows that may match in the order of a date, equal ones by id. Most transactions have no date of their own in
 * the column: that of their log entry stands for it, and its order is that of the ids. The others have an index by date.
 */
export class DateSearch {
  readonly #sources: DateSearchSources;
  readonly #searched: DateSearched;

  constructor(sources: DateSearchSources, searched: DateSearched) {
    this.#sources = sources;
    this.#searched = searched;
  }

  /** From a place on, if one is given; no more rows are read than are asked for. */
  *rows(from: Place | undefined, way: Way): Generator<Iterable<TransactionRow>> {
    for (const phase of this.#phases(this.#readingOf(from, way))) yield rowsOf(phase);
  }

  #readingOf(from: Place | undefined, way: Way): PlaceReading {
    const { allowed, until } = this.#searched;
    const first = { value: allowed.from, id: ALL_IDS.from };
    const last = { value: allowed.to < until ? allowed.to : until, id: ALL_IDS.to };
    const [start, end] = way.order === "asc" ? [first, last] : [last, first];
    const isInside = from !== undefined && comparePlaces(way.order)(start, from) < 0;
    return { ...way, from: isInside ? from : start, until: end.value };
  }

  *#phases(reading: PlaceReading): Generator<Iterable<Candidate>> {
    const paths = this.#paths();
    const { span } = this.#searched.plan;
    const guide = paths.find((path) => this.#isDated(path)) ?? paths.find((path) => path.isOrdered);
    const start = this.#inOrder(guide, reading);
    const isAlone = paths.length === 0 || (paths.length === 1 && this.#isDated(guide));
    const short = isAlone ? undefined : shorterThan(PROBE_ROWS, paths, span);
    if (isAlone || short !== undefined) {
      yield short === undefined ? start : this.#sorted(short, reading);
      return;
    }
    const probe = new Part(start, PROBE_ROWS);
    yield probe;
    const path = shortest(paths, span);
    if (probe.last === undefined || path === undefined) return;
    let rest = { ...reading, from: behindCandidate(reading.order, probe.last) };
    const entries = path.count(span, SORTED_MAX + 1);
    const isSorted = entries <= SORTED_MAX && !this.#isDated(path);
    const effort = path.effort() + (isSorted ? entries / SORTED_PER_ROW : 0);
    if (effort > 0 && entries > FEW_ENTRIES && reading.isRest !== true) {
      const walk = new Part(this.#inOrder(path.isOrdered ? path : guide, rest), effort);
      yield walk;
      if (walk.last === undefined) return;
      rest = { ...rest, from: behindCandidate(reading.order, walk.last) };
    }
    yield isSorted ? this.#sorted(path, rest) : this.#inOrder(path, rest);
  }

  /** The ids that a filter leaves are a path, too, where they are few. */
  #paths(): readonly IdPath[] {
    const { span, paths } = this.#searched.plan;
    const isShort = span.to - span.from < SORTED_MAX;
    return isShort ? [...paths, idsIn(this.#sources.sql, span)] : paths;
  }

  /** Whether the entries of a path have an index by date, too. */
  #isDated(path: IdPath | undefined): path is MovePath {
    const isOfFew = path instanceof MovePath && path.isOrdered;
    return isOfFew && this.#searched.column === "timestamp";
  }

  /** Rows as they come in the list: those that a path leads to, where one is given. */
  #inOrder(path: IdPath | undefined, reading: PlaceReading): Generator<Candidate> {
    const compare = comparePlaces(reading.order);
    const streams = [this.#lacking(path, reading), this.#having(path, reading)];
    return mergeStreams(
      streams.map((items) => ({ items })),
      // At one place, what only tells of it comes first: behind a row, nothing of its place is left.
      (a, b) => compare(a.place, b.place) || rank(a) - rank(b),
    );
  }

  /** Those without a date of their own. */
  *#lacking(path: IdPath | undefined, reading: PlaceReading): Generator<Candidate> {
    const { order, batch } = reading;
    const span = intersection(this.#searched.plan.span, this.#lackingSpan(reading));
    if (path === undefined) {
      yield* this.#walkLacking({ span, order, batch });
      return;
    }
    for (const row of followRows(this.#sources.rows, path, { span, order, batch })) {
      const isLacking = !row.isDated(this.#searched.column);
      yield { place: this.#lackingPlace(row), ...(isLacking ? { row } : {}) };
    }
  }

  /** Passes over those with a date, a number of ids at a time: in between, rows of the other kind may come first. */
  *#walkLacking({ span, order, batch }: Reading): Generator<Candidate> {
    const { rows } = this.#sources;
    const pace = new Pace(batch);
    let [rest, width] = [span, WINDOW_MIN];
    for (;;) {
      const next = isEmpty(rest) ? undefined : rows.firstIn(rest, order);
      if (next === undefined) return;
      yield { place: this.#lackingPlace(next) };
      const limit = pace.size;
      const window = windowOf(rest, order, { from: next.id, width: Math.max(width, 2 * limit) });
      const read = rows.inSpan(window, { order, limit, lacking: this.#searched.column });
      for (const row of read) yield { place: this.#lackingPlace(row), row };
      pace.note(read);
      const last = read.length < limit ? undefined : read.at(-1);
      const reached = order === "asc" ? window.to : window.from;
      rest = behind(rest, order, last?.id ?? reached);
      if (last === undefined) width = Math.min(width * 4, WINDOW_MAX);
    }
  }

  /** Those with a date of their own. */
  *#having(path: IdPath | undefined, reading: PlaceReading): Generator<Candidate> {
    const { column } = this.#searched;
    const rows = this.#isDated(path) ? this.#followDated(path, reading) : this.#walkDated(reading);
    for (const row of rows) yield { place: row.placeBy(column), row };
  }

  *#followDated({ few = [] }: MovePath, reading: PlaceReading): Generator<TransactionRow> {
    const pace = new Pace(reading.batch);
    for (const group of groupsOf(followDated(this.#sources.sql, few, reading), () => pace.size)) {
      const read = this.#sources.rows.findAll(group.map(({ id }) => id));
      yield* read;
      pace.note(read);
    }
  }

  *#walkDated(reading: PlaceReading): Generator<TransactionRow> {
    const { column } = this.#searched;
    const pace = new Pace(reading.batch);
    for (let { from } = reading; ;) {
      const batch = pace.size;
      const read = this.#sources.rows.inIndex(column, { ...reading, from, batch });
      yield* read;
      const last = read.at(-1);
      if (last === undefined || read.length < batch) return;
      from = placeBehind(reading.order, last.placeBy(column));
      pace.note(read);
    }
  }

  /** All that a path leads to, sorted: first the nearest of them, then all others. */
  *#sorted(path: IdPath, reading: PlaceReading): Generator<Candidate> {
    const nearest = this.#nearest(path, { ...reading, batch: PLACES_FIRST });
    yield* this.#followPlaces(nearest, reading);
    const last = nearest.at(-1);
    if (last === undefined || nearest.length < PLACES_FIRST) return;
    const from = placeBehind(reading.order, last);
    const others = this.#nearest(path, { ...reading, from, batch: Number.MAX_SAFE_INTEGER });
    yield* this.#followPlaces(others, reading);
  }

  *#followPlaces(places: readonly Place[], { batch }: PlaceReading): Generator<Candidate> {
    const pace = new Pace(batch);
    for (const group of groupsOf(places.values(), () => pace.size)) {
      const read = this.#sources.rows.findAll(group.map(({ id }) => id));
      for (const row of read) yield { place: row.placeBy(this.#searched.column), row };
      pace.note(read);
    }
  }

  #nearest(path: IdPath, reading: PlaceReading): Place[] {
    const { column, plan } = this.#searched;
    const compare = comparePlaces(reading.order);
    const cut = (places: readonly Place[]): Place[] =>
      distinctPlaces(places.toSorted(compare)).slice(0, reading.batch);
    let nearest: Place[] = [];
    for (const ids of groupsOf(path.scan(plan.span), () => PAGE_IDS)) {
      nearest.push(...this.#sources.rows.nearestOf([...new Set(ids)], column, reading));
      if (nearest.length > 2 * reading.batch) nearest = cut(nearest);
    }
    return cut(nearest);
  }

  /** Where a row without a date of its own stands. Those that were not reverted come before all that were. */
  #lackingPlace({ id, inserted }: { id: number; inserted: bigint }): Place {
    return { value: this.#searched.column === "reverted_at" ? MICROS_MIN : inserted, id };
  }

  /** The ids of rows without a date of their own that stand in a range of places. */
  #lackingSpan({ from, until, order }: PlaceReading): Span {
    if (this.#searched.column === "reverted_at") {
      // A condition on the date of the revert is one that there was a revert.
      if (!isAllDates(this.#searched.allowed)) return NO_IDS;
      if (from.value > MICROS_MIN) return order === "asc" ? NO_IDS : ALL_IDS;
      return order === "asc" ? { ...ALL_IDS, from: from.id } : { ...ALL_IDS, to: from.id };
    }
    return order === "asc"
      ? { from: this.#firstIdFrom(from), to: this.#lastIdAt(until) }
      : { from: this.#lastIdAt(until - 1n) + 1, to: this.#lastIdUpTo(from) };
  }

  /** The first id of what was inserted at a place or behind it. */
  #firstIdFrom({ value, id }: Place): number {
    const first = this.#lastIdAt(value - 1n) + 1;
    return id <= first ? first : Math.min(id, this.#lastIdAt(value) + 1);
  }

  /** The last id of what was inserted at a place or before it. */
  #lastIdUpTo({ value, id }: Place): number {
    const last = this.#lastIdAt(value);
    return id >= last ? last : Math.max(id, this.#lastIdAt(value - 1n));
  }

  #lastIdAt(micros: bigint): number {
    if (micros < MICROS_MIN) return ALL_IDS.from - 1;
    return micros >= MICROS_MAX ? ALL_IDS.to : this.#sources.reader.lastIdAtMicros(micros);
  }
}

function* rowsOf(candidates: Iterable<Candidate>): Generator<TransactionRow> {
  for (const { row } of candidates) if (row !== undefined) yield row;
}

const rank = ({ row }: Candidate): number => (row === undefined ? 0 : 1);

/** The first place that was not read yet: a candidate without a row tells where the next one may be. */
const behindCandidate = (order: Order, { place, row }: Candidate): Place =>
  row === undefined ? place : placeBehind(order, place);

/** Each place once; equal ones are next to each other. */
const distinctPlaces = (places: readonly Place[]): Place[] =>
  places.filter(({ id }, index) => places[index - 1]?.id !== id);

/** A part of a span that begins at an id. */
const windowOf = (
  span: Span,
  order: Order,
  { from, width }: { from: number; width: number },
): Span =>
  intersection(
    span,
    order === "asc" ? { from, to: from + width - 1 } : { from: from - width + 1, to: from },
  );
