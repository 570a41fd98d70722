import { RunningVolumes } from "./running-volumes.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** After so many pages of other exports, the volumes of one are given up for those of another. */
const OTHERS_MAX = 16;

/**
 * The volumes where the last page of an export has ended, for its next page. Those of one export are kept: entries never change, so that
 * they are right for any page that begins there.
 */
export class ExportedVolumes {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  #kept: { readonly next: number; readonly volumes: RunningVolumes } | undefined;
  /** The pages that began elsewhere since the last one that began there. */
  #others = 0;

  constructor(sql: Sql, names: StoredNames) {
    this.#sql = sql;
    this.#names = names;
  }

  /** The volumes before a log entry, for a page that begins with it. They are not kept until they are given back. */
  take(first: number): RunningVolumes {
    if (this.#kept?.next !== first) {
      this.#others++;
      return new RunningVolumes({ sql: this.#sql, names: this.#names, isStart: first <= 0 });
    }
    const { volumes } = this.#kept;
    this.reset();
    return volumes;
  }

  /** Keeps volumes that have passed all transactions before a log entry, with which a page will begin. */
  giveBack(next: number, volumes: RunningVolumes): void {
    if (this.#kept !== undefined && this.#others < OTHERS_MAX) return;
    this.#kept = { next, volumes };
    this.#others = 0;
  }

  /** Forgets all volumes: rows may have been rolled back, or no page comes any more. */
  reset(): void {
    this.#kept = undefined;
    this.#others = 0;
  }
}
