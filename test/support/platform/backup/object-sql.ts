import { VALUE_BYTES_MAX } from "./memory-values.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** SQL in memory with the limit of a Durable Object: a row that is written has 2 MB at most. */
export class ObjectSql extends NodeSql {
  override all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const bytes = bindings.reduce<number>((sum, value) => sum + Buffer.byteLength(`${value}`), 0);
    if (bytes > VALUE_BYTES_MAX) throw new Error("string or blob too big: SQLITE_TOOBIG");
    return super.all<Row>(statement, ...bindings);
  }
}
