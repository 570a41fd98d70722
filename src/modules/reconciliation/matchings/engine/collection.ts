import { sideNumber } from "./lines.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The days, since 1970-01-01, from which lines come; without an end for lines of all days from the first one on. */
export interface LinePeriod {
  readonly from: number;
  readonly to: number | undefined;
}

/** Where the sources of a matching are read next. */
export class Collection {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Begins to collect a period. A source is read from its beginning again where the period has changed, because lines that were passed by
   * may belong to it now; lines that are known are not stored twice.
   */
  begin({ from, to }: LinePeriod): void {
    for (const side of ["left", "right"] as const)
      this.#sql.all(
        `INSERT INTO collection (side, position, period_from, period_to) VALUES (?1, NULL, ?2, ?3)
         ON CONFLICT (side) DO UPDATE SET position = NULL, period_from = ?2, period_to = ?3
         WHERE period_from <> ?2 OR period_to IS NOT ?3`,
        sideNumber(side),
        from,
        to ?? null,
      );
  }

  /** The position of the next page; undefined for the first one. */
  position(side: MatchSide): string | undefined {
    const [row] = this.#sql.all<{ position: string | null }>(
      "SELECT position FROM collection WHERE side = ?",
      sideNumber(side),
    );
    return row?.position ?? undefined;
  }

  /** The last day that a line has had; undefined without lines. */
  lastDay(): number | undefined {
    const [row] = this.#sql.all<{ day: number | null }>(
      "SELECT max(last_day) AS day FROM collection",
    );
    return row?.day ?? undefined;
  }

  addDay(side: MatchSide, day: number): void {
    this.#sql.all(
      "UPDATE collection SET last_day = max(coalesce(last_day, ?1), ?1) WHERE side = ?2",
      day,
      sideNumber(side),
    );
  }

  setPosition(side: MatchSide, position: string): void {
    this.#sql.all("UPDATE collection SET position = ? WHERE side = ?", position, sideNumber(side));
  }
}
