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
      this.#sql.all(
        "INSERT OR IGNORE INTO run_object (class, name) VALUES (?, ?)",
        className,
        name,
      );
  }

  /** Notes why an object cannot be copied, as a sentence. */
  noteFailure({ class: className, name }: CopiedPlace, reason: string): void {
    this.#sql.all(
      "UPDATE run_object SET failed = ? WHERE class = ? AND name = ?",
      reason,
      className,
      name,
    );
  }

  /** The objects of a class that could not be copied. */
  failedOf(className: string): { readonly object: string; readonly reason: string }[] {
    return this.#sql.all<{ object: string; reason: string }>(
      "SELECT name AS object, failed AS reason FROM run_object WHERE class = ? AND failed IS NOT NULL ORDER BY name",
      className,
    );
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
