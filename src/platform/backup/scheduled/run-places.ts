import type { CopiedPlace } from "#platform/backup/saving/copied-objects.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The objects that a run copies, in the order of their classes and names. */
export class RunPlaces {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  clear(): void {
    this.#sql.all("DELETE FROM run_object");
  }

  add(places: readonly CopiedPlace[]): void {
    for (const { class: className, name } of places)
      this.#sql.all("INSERT OR IGNORE INTO run_object VALUES (?, ?)", className, name);
  }

  /** The first one behind a place; undefined if there is none. */
  next(after: CopiedPlace): CopiedPlace | undefined {
    const [row] = this.#sql.all<{ class: string; name: string }>(
      "SELECT class, name FROM run_object WHERE (class, name) > (?, ?) ORDER BY class, name LIMIT 1",
      after.class,
      after.name,
    );
    return row;
  }
}
