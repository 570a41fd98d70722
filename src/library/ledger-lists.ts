import { assertOrder } from "./input.ts";
import type { PublicLedger } from "./ledger-type.ts";
import type {
  PublicAccount,
  PublicLogEntry,
  PublicTransaction,
  Schema,
  VolumeEntry,
} from "./types.ts";
import { toAccount, toLogEntry, toSchema, toTransaction, toVolumeEntry } from "./views.ts";
import type { LedgerEngine } from "#ledger-engine";
import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ListScope, PageQuery } from "#platform/paging/query.ts";

/** Items that an iterator reads at once. The number is small, because the caller may stop at any time. */
const PAGE_SIZE = 100;
const LOGS_LIMITS = { countMax: PAGE_SIZE, bytesMax: 4_000_000 };

export const EVERY_VOLUME = { volumes: true, effectiveVolumes: true };

/** The name of a public method. The stack trace of an error starts at the called method. */
export type LedgerMethod = Exclude<keyof PublicLedger, "name" | "features" | "close">;

/** Runs a part of a public method. Throws the public error for the method where `work` fails. */
export type RunMethod = <T>(name: LedgerMethod, work: (engine: LedgerEngine) => T) => T;

/** A list that an iterator reads: its public method, its single sort column, its order and its scope. */
export interface LedgerListing {
  readonly name: LedgerMethod;
  readonly columns: SortColumns;
  readonly order: "asc" | "desc";
  readonly scope: ListScope;
}

/** The iterators over the lists of a ledger, which read a page at a time. */
export class LedgerLists {
  readonly #run: RunMethod;
  readonly #accountVolumes: { readonly volumes: boolean; readonly effectiveVolumes: boolean };

  constructor(
    run: RunMethod,
    accountVolumes: { readonly volumes: boolean; readonly effectiveVolumes: boolean },
  ) {
    this.#run = run;
    this.#accountVolumes = accountVolumes;
  }

  /** The listing of a method. Throws for arguments that are not valid. */
  prepare(
    name: LedgerMethod,
    order: "asc" | "desc",
    toRest: () => Pick<LedgerListing, "columns" | "scope">,
  ): LedgerListing {
    return this.#run(name, () => {
      assertOrder(order);
      return { name, order, ...toRest() };
    });
  }

  *transactions(list: LedgerListing): Generator<PublicTransaction> {
    const pages = this.#pages(list, ({ reads }, query) =>
      reads.listTransactions(query, EVERY_VOLUME),
    );
    for (const page of pages) yield* page.map(toTransaction);
  }

  *accounts(list: LedgerListing): Generator<PublicAccount> {
    const pages = this.#pages(list, ({ reads }, query) =>
      reads.listAccounts(query, this.#accountVolumes),
    );
    for (const page of pages) yield* page.map(toAccount);
  }

  *volumes(list: LedgerListing): Generator<VolumeEntry> {
    const pages = this.#pages(list, ({ reads }, query) => reads.listVolumes(query));
    for (const page of pages) yield* page.map(toVolumeEntry);
  }

  *logs(list: LedgerListing): Generator<PublicLogEntry> {
    const pages = this.#pages(list, ({ reads }, query) => reads.listLogs(query));
    // The engine caches entries, which a caller must not change.
    for (const page of pages) yield* page.map((entry) => toLogEntry(structuredClone(entry)));
  }

  /** All entries of the log behind an id. */
  *logsAfter(after: number): Generator<PublicLogEntry> {
    let last = after;
    for (;;) {
      const entries = this.#run("logs", (engine) =>
        engine.readLogs(last + 1, engine.lastLogId, LOGS_LIMITS),
      );
      yield* entries.map(toLogEntry);
      const end = entries.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  *schemas(list: LedgerListing): Generator<Schema> {
    const pages = this.#pages(list, ({ reads }, query) => reads.listSchemas(query));
    for (const page of pages) yield* page.map(toSchema);
  }

  *#pages<T>(
    { name, columns, order, scope }: LedgerListing,
    read: (engine: LedgerEngine, query: PageQuery) => Page<T>,
  ): Generator<readonly T[]> {
    const [column = ""] = Object.keys(columns);
    const common = { ...scope, column, order, pageSize: PAGE_SIZE };
    const { options } = scope;
    const rules = {
      columns,
      pageSizeMax: PAGE_SIZE,
      ...(options === undefined ? {} : { options }),
    };
    let query: PageQuery | undefined = { kind: "column", ...common, reverse: false };
    while (query !== undefined) {
      const wanted: PageQuery = query;
      const page: Page<T> = this.#run(name, (engine) => read(engine, wanted));
      yield page.data;
      const { next } = page;
      query = next === undefined ? undefined : decodeCursor(next, rules);
    }
  }
}
