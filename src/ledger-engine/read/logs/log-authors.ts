import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { EntryAuthor } from "#ledger-engine/rules/reads.ts";

/** Who wrote the entries of the log. */
export class LogAuthors {
  readonly #context: Pick<ReadContext, "sql" | "authorship">;

  constructor(context: Pick<ReadContext, "sql" | "authorship">) {
    this.#context = context;
  }

  /** Undefined where there is no such entry. */
  find(logId: number): EntryAuthor | undefined {
    const { sql, authorship } = this.#context;
    if (sql.all("SELECT 1 FROM log WHERE id = ?", logId).length === 0) return undefined;
    return { author: authorship.find(logId) };
  }
}
