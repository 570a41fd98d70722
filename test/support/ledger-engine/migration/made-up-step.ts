import { migrate, migrateSlice, type TablesState } from "#ledger-engine/storage/migrations.ts";
import { STEPS } from "#ledger-engine/storage/tables.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import type { Step } from "#platform/sql/step.ts";

/** The properties of a made-up step. */
interface MadeUp {
  readonly rowsPerSlice: number;
  readonly isServedMeanwhile: boolean;
}

/**
 * The real migration steps and a made-up one, which visits every transaction and stores it by its log entry. The trigger stands
 * for the code of a version with this step, which writes new rows for its own transactions.
 */
export const stepsWith = ({ rowsPerSlice, isServedMeanwhile }: MadeUp): readonly Step[] => [
  ...STEPS,
  {
    name: "Transactions by log entry",
    statements: [
      "CREATE TABLE by_log (log INTEGER PRIMARY KEY, tx INTEGER NOT NULL) STRICT",
      "CREATE TRIGGER by_log_tx AFTER INSERT ON tx BEGIN INSERT INTO by_log VALUES (new.log, new.id); END",
    ],
    rows: {
      isServedMeanwhile,
      slice: (sql, cursor) => {
        const after = Number(cursor);
        sql.all(`INSERT OR IGNORE INTO by_log SELECT log, id FROM ${PAGE}`, after, rowsPerSlice);
        const page = first(
          sql.all<{ last: number | null; rows: number }>(
            `SELECT max(id) AS last, count(*) AS rows FROM ${PAGE}`,
            after,
            rowsPerSlice,
          ),
        );
        return page.rows < rowsPerSlice ? undefined : `${page.last}`;
      },
    },
  },
];

const PAGE = "(SELECT id, log FROM tx WHERE id > ? ORDER BY id LIMIT ?)";

/** Undoes the made-up step, so that the ledger is as a version without the step would leave it. */
export const UNDO_MADE_UP: readonly string[] = [
  "DROP TRIGGER by_log_tx",
  "DROP TABLE by_log",
  `DELETE FROM migration WHERE step > ${STEPS.length}`,
];

/** The number of transactions that the step has visited. */
export const visited = (sql: Sql): number =>
  first(sql.all<{ rows: number }>("SELECT count(*) AS rows FROM by_log")).rows;

/** The number of transactions that the step has missed or stored wrongly. */
export const missed = (sql: Sql): number =>
  first(
    sql.all<{ rows: number }>(
      "SELECT count(*) AS rows FROM tx LEFT JOIN by_log ON by_log.log = tx.log WHERE by_log.tx IS NOT tx.id",
    ),
  ).rows;

/** The cursor of the next slice; null if no step is under way. */
export const cursorOf = (sql: Sql): string | null =>
  first(
    sql.all<{ cursor: string | null }>("SELECT cursor FROM migration ORDER BY step DESC LIMIT 1"),
  ).cursor;

/** Begins the step unless it is under way, works on it slice by slice, and yields the state after each slice. */
export function* slicesOf(sql: Sql, steps: readonly Step[]): Generator<TablesState> {
  for (let state = migrate(sql, steps); state !== "current";)
    yield (state = migrateSlice(sql, steps));
}
