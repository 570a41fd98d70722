import { ExportPlaces } from "./export-places.ts";
import { callRead, type ReadCall } from "./read-call.ts";
import { objectSlices, type Slice } from "./slice-queue.ts";
import { SliceSizer } from "./slice-sizer.ts";
import {
  answerAudit,
  type AuditAnswer,
  type AuditRequest,
  type CountQuery,
  type LedgerEngine,
  type LedgerReads,
  type LogOrigins,
  type LogTextPage,
  type Steps,
  type SubtreeQuery,
  type SubtreeSum,
} from "#ledger-engine";
import type { PageQuery } from "#platform/paging/query.ts";
import { attempt, type Result } from "#platform/result.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Which ledgers a read may reach: those that are not deleted, or all. */
export type LedgerReach = "live" | "all";

/** A page of an export: entries after `after`, up to the last entry `to` of the export. */
export interface ExportCall {
  /** Identifies the export. All calls of the export have this id, and no other export has it. */
  readonly exportId: string;
  readonly uuid: string;
  readonly after: number;
  readonly to?: number;
  /** By default, a ledger that was deleted ends its exports. */
  readonly reach?: LedgerReach;
}

/** Time after which a call gives a sum as far as it is, in milliseconds. Other work of the ledger counts, too. */
const SUM_MS = 150;

/** Reads of the ledger's object. Reads that may take long run in slices, one in a turn of the ledger. */
export class SlicedReads {
  /** The ledger as it is in the turn of the call, or why it cannot be read. */
  readonly engineOf: (uuid: string | undefined, reach?: LedgerReach) => Result<LedgerEngine>;
  readonly #slices = objectSlices();
  readonly #exports = new ExportPlaces(Date.now);
  /** Size of slices of an export, in log entries. */
  readonly #entries = new SliceSizer({ first: 100, least: 5, most: 1000 });
  /** Size of slices for an audit, in rows of the log or of another table. */
  readonly #rows = new SliceSizer({ first: 200, least: 10, most: 5000 });
  /** Size of slices of a read in steps. */
  readonly #steps = new SliceSizer({ first: 2, least: 1, most: 100 });
  /** Size of slices of a read whose parts have a fixed size. */
  readonly #parts = new SliceSizer({ first: 1, least: 1, most: 1 });

  constructor(engineOf: SlicedReads["engineOf"]) {
    this.engineOf = engineOf;
  }

  /** Calls a read by its name, in slices where it may take long. With `amounts`, the result has the JSON of its items. */
  read(call: ReadCall, uuid: string | undefined): Result<unknown> | Promise<Result<unknown>> {
    const { name, args } = call;
    if (name === "exportLogs") {
      const [after, to, countMax] = args as Parameters<LedgerReads["exportLogs"]>; // the arguments of `exportLogs`
      return this.#exportLogs({ after, to, uuid }, countMax);
    }
    if (name === "subtreeSum") {
      const [query] = args as Parameters<LedgerReads["subtreeSum"]>; // the arguments of `subtreeSum`
      return this.#goOnWithSum(query, uuid);
    }
    if (name === "listVolumes" || name === "aggregateBalances" || name === "activity") {
      return this.#inSteps(({ reads }) => {
        const start = reads.inSteps[name] as (...args: readonly unknown[]) => Steps<unknown>; // `args` are the arguments of this read
        return start(...args);
      }, uuid);
    }
    if (isSliced(call)) {
      const part = (engine: LedgerEngine) => ({ value: callRead(engine, call), done: 1 });
      return this.#inSlice(this.#parts, part, { uuid });
    }
    const engine = this.engineOf(uuid);
    return engine.ok ? attempt(() => callRead(engine.value, call)) : engine;
  }

  /**
   * Takes a place for a new export, and returns the uuid of the ledger; with a uuid, of this ledger, which may be deleted. Throws `RATE_LIMITED`
   * where no place is left.
   */
  beginExport(exportId: string, uuid?: string): Result<string> {
    const engine = this.engineOf(uuid, uuid === undefined ? "live" : "all");
    if (!engine.ok) return engine;
    return attempt(() => {
      this.#exports.take(exportId);
      return engine.value.info.uuid;
    });
  }

  exportPage({ exportId, ...page }: ExportCall): Promise<Result<LogTextPage>> {
    this.#exports.keep(exportId);
    return this.#exportLogs(page);
  }

  endExport(exportId: string): void {
    this.#exports.release(exportId);
    this.forgetEndedExports();
  }

  /** Deletes the data that is kept for the next pages of exports, where none is under way. */
  forgetEndedExports(): void {
    if (this.#exports.hasAny()) return;
    const engine = this.engineOf(undefined, "all");
    if (engine.ok) engine.value.reads.endExports();
  }

  /** A page of the log that `read` gives, whose size is at most that of a slice, in entries. */
  logPage<T extends { readonly after: number; readonly to: number }>(
    read: (engine: LedgerEngine, size: number) => T,
    uuid: string,
  ): Promise<Result<T>> {
    return this.#inSlice(
      this.#entries,
      (engine, size) => {
        const value = read(engine, size);
        return { value, done: value.to - value.after };
      },
      { uuid },
    );
  }

  /** Rows of the log and of the tables in `sql`, all of the same moment. */
  answerAudit(sql: Sql, request: AuditRequest, uuid: string): Promise<Result<AuditAnswer>> {
    return this.#inSlice(
      this.#rows,
      (_engine, size) => {
        const { entries, rows } = request.steps;
        const steps = { entries: Math.min(entries, size), rows: Math.min(rows, size) };
        const value = answerAudit(sql, { ...request, steps });
        return { value, done: value.page.rows.length + (value.digest?.rows ?? 0) };
      },
      { uuid },
    );
  }

  /** Log entries as text: as many of the first ones as a slice takes, and at most `countMax`. */
  #exportLogs(
    { after, to, uuid, reach }: SlicedLedger & { after: number; to?: number | undefined },
    countMax = Number.POSITIVE_INFINITY,
  ): Promise<Result<LogTextPage>> {
    return this.#inSlice(
      this.#entries,
      ({ reads }, size) => {
        const value = reads.exportLogs(after, to, Math.min(size, countMax));
        return { value, done: value.after - after };
      },
      { uuid, reach },
    );
  }

  /** What the log does not determine of the first entries of a range, also of a deleted ledger. */
  origins(uuid: string, after: number, to: number): Promise<Result<LogOrigins>> {
    const part = ({ reads }: LedgerEngine) => ({ value: reads.origins(after, to), done: 1 });
    return this.#inSlice(this.#parts, part, { uuid, reach: "all" });
  }

  /** Goes on with a sum, slice by slice, until it is complete or its time is up. */
  async #goOnWithSum(query: SubtreeQuery, uuid: string | undefined): Promise<Result<SubtreeSum>> {
    const endMs = Date.now() + SUM_MS;
    for (;;) {
      const slice = await this.#inSlice(
        this.#steps,
        ({ reads }, steps) => {
          const value = reads.subtreeSum(query, { steps, nowMs: Date.now() });
          return { value, done: value.stepsDone };
        },
        { uuid },
      );
      if (!slice.ok || slice.value.isComplete || Date.now() >= endMs) return slice;
    }
  }

  /** Executes a read in steps, several of which make a slice. */
  async #inSteps(
    start: (engine: LedgerEngine) => Steps<unknown>,
    uuid: string | undefined,
  ): Promise<Result<unknown>> {
    let steps: Steps<unknown> | undefined;
    let ledger = uuid;
    for (;;) {
      const slice = await this.#inSlice(
        this.#steps,
        (engine, size) => {
          steps ??= start(engine);
          ledger = engine.info.uuid; // another ledger may get the name meanwhile, and the other steps are not for it
          return take(steps, size);
        },
        { uuid: ledger },
      );
      if (!slice.ok) return slice;
      if (slice.value.done === true) return { ok: true, value: slice.value.value };
    }
  }

  #inSlice<T>(
    sizer: SliceSizer,
    work: (engine: LedgerEngine, size: number) => Slice<T>,
    { uuid, reach }: SlicedLedger,
  ): Promise<Result<T>> {
    return this.#slices.run<Result<T>>(sizer, (size) => {
      // The ledger may have been deleted before its turn.
      const engine = this.engineOf(uuid, reach);
      if (!engine.ok) return { value: engine, done: 0 };
      const slice = attempt(() => work(engine.value, size));
      if (!slice.ok) return { value: slice, done: 0 };
      const { value, done } = slice.value;
      return { value: { ok: true, value }, done };
    });
  }
}

/** The ledger of a slice; without a uuid, the one of the object's name. */
interface SlicedLedger {
  readonly uuid?: string | undefined;
  readonly reach?: LedgerReach | undefined;
}

/** Executes as many steps as a slice has, or all that are left. */
function take<T>(steps: Steps<T>, size: number): Slice<IteratorResult<undefined, T>> {
  let value = steps.next();
  let done = 1;
  for (; done < size && value.done !== true; done++) value = steps.next();
  return { value, done };
}

/** Whether a read may take long, so that it runs in slices. A page counts as light until it turns out to need more than one turn. */
export function isSliced({ name, args: [query] }: ReadCall): boolean {
  switch (name) {
    case "countAccounts":
    case "countTransactions": {
      const { where, pit } = query as CountQuery; // the first argument of a count
      return where !== undefined || pit !== undefined;
    }
    case "accountTree":
    case "listAccounts":
    case "listTransactions": {
      const page = query as PageQuery; // the first argument of a list
      return page.kind === "column" && page.wanted !== undefined;
    }
    default:
      return false;
  }
}
