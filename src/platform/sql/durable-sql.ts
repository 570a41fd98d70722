import type { Sql, SqlRow } from "./sql.ts";

/** SQL on the storage of a Durable Object. */
export const durableSql = (storage: DurableObjectStorage): Sql => ({
  all: <Row extends SqlRow>(statement: string, ...bindings: readonly (string | number | null)[]) =>
    storage.sql.exec<Row>(statement, ...bindings).toArray(),
  transaction: (work) => storage.transactionSync(work),
});
