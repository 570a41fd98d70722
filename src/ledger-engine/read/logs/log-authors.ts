import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { EntryAuthor } from "#ledger-engine/rules/reads.ts";
import { findRef } from "#ledger-engine/storage/log/log-tables.ts";

/** Who wrote the entries of the log. */
export class LogAuthors {
  readonly #context: Pick<ReadContext, "sql" | "authorship">;

  constructor(context: Pick<ReadContext, "sql" | "authorship">) {
    this.#context = context;
  }

  /** Undefined where there is no such entry. */
  find(logId: number): EntryAuthor | undefined {
    const { sql, authorship } = this.#context;
    if (findRef(sql, logId) === undefined) return undefined;
    return { author: authorship.find(logId) };
  }
}
