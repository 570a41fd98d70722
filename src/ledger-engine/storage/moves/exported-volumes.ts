import { RunningVolumes } from "./running-volumes.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** After this many pages that began elsewhere, the kept volumes are replaced by the volumes of another export. */
const OTHERS_MAX = 16;

/**
 * Keeps the volumes at the end of the last page of one export, for the export's next page. Entries never change, so that the volumes are
 * right for every page that begins with the same entry.
 */
export class ExportedVolumes {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  #kept: { readonly next: number; readonly volumes: RunningVolumes } | undefined;
  /** The number of pages that began elsewhere since the kept volumes were stored. */
  #others = 0;

  constructor(sql: Sql, names: StoredNames) {
    this.#sql = sql;
    this.#names = names;
  }

  /** Takes the volumes before a log entry, for a page that begins with the entry. They are no longer kept then. */
  take(first: number): RunningVolumes {
    if (this.#kept?.next !== first) {
      this.#others++;
      return new RunningVolumes({ sql: this.#sql, names: this.#names, isStart: first <= 0 });
    }
    const { volumes } = this.#kept;
    this.reset();
    return volumes;
  }

  /** Keeps volumes that have passed all transactions before the log entry `next`, with which the next page begins. */
  giveBack(next: number, volumes: RunningVolumes): void {
    if (this.#kept !== undefined && this.#others < OTHERS_MAX) return;
    this.#kept = { next, volumes };
    this.#others = 0;
  }

  /** Forgets the kept volumes, because rows may have been rolled back, or because the export is over. */
  reset(): void {
    this.#kept = undefined;
    this.#others = 0;
  }
}
