import { DatabaseSync } from "node:sqlite";
import { TestLedger } from "./fixtures.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * Returns a function that makes ledgers with equal content. The content is written by the first call and then copied, because
 * writes take far longer than a copy of the database. A copy may have another SQL interface over its database.
 */
export function copiesOf(
  write: (sql: Sql) => TestLedger,
): (wrap?: (sql: Sql) => Sql) => TestLedger {
  const original = new DatabaseSync(":memory:");
  let written: Pick<TestLedger, "now"> | undefined;
  let bytes = new Uint8Array();
  return (wrap = (sql) => sql) => {
    if (written === undefined) {
      written = write(new NodeSql(original));
      bytes = original.serialize();
    }
    const copy = new DatabaseSync(":memory:");
    copy.deserialize(bytes);
    return new TestLedger({ sql: wrap(new NodeSql(copy)), now: written.now, isStored: true });
  };
}
