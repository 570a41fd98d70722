import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { EntryAuthor } from "#ledger-engine/rules/reads.ts";
import { findRef } from "#ledger-engine/storage/log/log-tables.ts";

/** Finds the authors of log entries. */
export class LogAuthors {
  readonly #context: Pick<ReadContext, "sql" | "authorship">;

  constructor(context: Pick<ReadContext, "sql" | "authorship">) {
    this.#context = context;
  }

  /** The author of an entry; undefined if the entry does not exist. */
  find(logId: number): EntryAuthor | undefined {
    const { sql, authorship } = this.#context;
    if (findRef(sql, logId) === undefined) return undefined;
    return { author: authorship.find(logId) };
  }
}
