import type { Plan } from "./transaction-plan.ts";
import type { TransactionRow, TransactionRows } from "./transaction-rows.ts";
import { groupsOf, Pace, Part } from "#ledger-engine/read/scan/batch-sizer.ts";
import {
  behind,
  type IdPath,
  intersection,
  isEmpty,
  type Reading,
  shorterThan,
  shortest,
} from "#ledger-engine/read/scan/id-scan.ts";

/** Rows that are tried before the best of several paths is looked for: filters that most rows pass end there. */
export const PROBE_ROWS = 64;

/** All rows of a span, in the order of ids. */
export function* walkRows(
  rows: TransactionRows,
  { span, order, batch }: Reading,
): Generator<TransactionRow> {
  const pace = new Pace(batch);
  for (let rest = span; !isEmpty(rest);) {
    const limit = pace.size;
    const read = rows.inSpan(rest, { order, limit });
    yield* read;
    const last = read.at(-1);
    if (last === undefined || read.length < limit) return;
    rest = behind(rest, order, last.id);
    pace.note(read);
  }
}

/** The rows that a path leads to, in the order of ids. */
export function* followRows(
  rows: TransactionRows,
  path: IdPath,
  reading: Reading,
): Generator<TransactionRow> {
  const pace = new Pace(reading.batch);
  for (const ids of groupsOf(path.follow(reading), () => pace.size)) {
    const read = rows.findAll(ids);
    yield* read;
    pace.note(read);
  }
}

/** Rows that are read one way after another: each way begins with few, and is asked for when the one before is over. */
export type Phases = Iterable<Iterable<TransactionRow>>;

/** The rows that may match, in the order of ids: no more are read than are asked for. */
export function* rowsById(
  rows: TransactionRows,
  plan: Plan,
  reading: Reading,
): Generator<Iterable<TransactionRow>> {
  const { order } = reading;
  const first = { ...reading, span: intersection(reading.span, plan.span) };
  const ordered = plan.paths.find(({ isOrdered }) => isOrdered);
  const start = ordered === undefined ? walkRows(rows, first) : followRows(rows, ordered, first);
  const isAlone = plan.paths.length === (ordered === undefined ? 0 : 1);
  const short = isAlone ? undefined : shorterThan(PROBE_ROWS, plan.paths, first.span);
  if (isAlone || short !== undefined) {
    yield short === undefined ? start : followRows(rows, short.settled(), first);
    return;
  }
  const probe = new Part(start, PROBE_ROWS);
  yield probe;
  const path = shortest(plan.paths, first.span)?.settled();
  if (probe.last === undefined || path === undefined) return;
  let rest = { ...first, span: behind(first.span, order, probe.last.id) };
  if (!path.isOrdered && reading.isRest !== true) {
    const walk = new Part(walkRows(rows, rest), path.effort());
    yield walk;
    if (walk.last === undefined) return;
    rest = { ...rest, span: behind(rest.span, order, walk.last.id) };
  }
  yield followRows(rows, path, rest);
}

/** The rows of all phases in groups that grow. */
export function* groupsOfPhases(phases: Phases, batch: number): Generator<TransactionRow[]> {
  for (const phase of phases) {
    const pace = new Pace(batch);
    for (const group of groupsOf(phase[Symbol.iterator](), () => pace.size)) {
      yield group;
      pace.note(group);
    }
  }
}
