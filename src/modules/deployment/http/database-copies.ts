import { z } from "@hono/zod-openapi";
import {
  DatabaseCopy,
  type RowsAt,
  type RowsOfTable,
} from "#modules/deployment/backup/database-copy.ts";
import type { ChangedRow, CopiedChanges, CopyEnd } from "#platform/backup/table-copy.ts";
import { Count, ok, operations, registration } from "#platform/http/index.ts";

const CopyResponse = z.object({ id: z.uuid() }).openapi("DatabaseCopy");

const Value = z
  .union([
    z.string(),
    z.number(),
    z.bigint(),
    z.null(),
    z.object({ hex: z.string() }),
    z.object({ real: z.number() }),
  ])
  .openapi({
    description:
      'A text, a number, an integer of any size, or null; `{"hex": …}` for bytes, and `{"real": …}` for a number that is no integer for SQLite',
  });
const Row = z
  .array(Value)
  .openapi({ description: "The values of a row in the order of its table's columns" });
const Table = z.string().max(200);
const Key = z.string().max(10_000);

const RowsResponse = z
  .object({
    table: Table,
    columns: z.array(z.string()),
    key: z.array(z.string()).openapi({ description: "The columns that identify a row" }),
    rows: z.array(Row),
    next: z.object({ table: Table, key: Key.optional() }).optional().openapi({
      description:
        "The parameters that give the next rows; absent after the last row of the last table",
    }),
  })
  .openapi("DatabaseCopyRows");

const ChangedRowResponse = z
  .object({
    table: Table,
    key: Key.openapi({
      description: "The values of the columns that identify the row, as the text of a JSON list",
    }),
    row: Row.optional().openapi({ description: "The row as it is now; absent if it is gone" }),
  })
  .openapi("DatabaseCopyChangedRow");

const ChangesResponse = z
  .object({
    rows: z.array(ChangedRowResponse),
    after: Count.openapi({ description: "The number of the last change that was read" }),
    left: Count.openapi({ description: "How many later changes there are" }),
  })
  .openapi("DatabaseCopyChanges");

const EndResponse = z
  .object({
    ended: z.boolean().openapi({
      description:
        "Whether the copy is complete. If not, more than 500 changes were left: read them, and end the copy again",
    }),
    rows: z.array(ChangedRowResponse),
    counters: z.record(z.string(), Count).openapi({
      description:
        "The largest ids that tables have given away, and will not use again, where they exceed those of their rows",
    }),
  })
  .openapi("DatabaseCopyEnd");

const toChangedRow = ({ table, key, row }: ChangedRow): z.input<typeof ChangedRowResponse> => ({
  table,
  key,
  ...(row === undefined ? {} : { row: [...row] }),
});

const toRows = ({
  table,
  columns,
  key,
  rows,
  next,
}: RowsOfTable): z.input<typeof RowsResponse> => ({
  table,
  columns: [...columns],
  key: [...key],
  rows: rows.map((row) => [...row]),
  ...(next === undefined ? {} : { next: { table: next.table, ...keyOf(next) } }),
});

const keyOf = ({ key }: RowsAt): { key?: string } => (key === undefined ? {} : { key });

const toChanges = ({ rows, after, left }: CopiedChanges): z.input<typeof ChangesResponse> => ({
  rows: rows.map(toChangedRow),
  after,
  left,
});

const toEnd = (end: CopyEnd | undefined): z.input<typeof EndResponse> => ({
  ended: end !== undefined,
  rows: (end?.rows ?? []).map(toChangedRow),
  counters: { ...end?.counters },
});

const After = z
  .string()
  .regex(/^\d{1,15}$/, "expected the number of a change")
  .transform(Number)
  .default(0)
  .openapi({
    type: "integer",
    description: "`after` of the answer before; absent at first",
  });

const CopyParams = z.object({ copyID: z.string().max(100) });

const copies = operations({
  path: "/backup/database-copies",
  tags: ["Copies of the database"],
  scope: "florin",
  // A copy has all rows, whoever they belong to.
  honoursLedgers: false,
});
const SHARED = { scope: "florin:operate", work: "backup" } as const;

/** Registers the copies of the database, below `/api/florin/v1/backup/database-copies`. */
export const registerDatabaseCopies = registration(
  copies.post("", {
    ...SHARED,
    operationId: "florinBeginDatabaseCopy",
    summary: "Begin a copy of the database",
    description:
      "One copy is made at a time. Until it ends, the database notes which rows change. A copy from which nothing is read for ten minutes ends without a result.",
    answer: ok.created("The copy", CopyResponse),
    errors: [409],
    handle: ({ context }) => new DatabaseCopy(context).begin(),
  }),
  copies.get("/{copyID}/rows", {
    ...SHARED,
    operationId: "florinReadDatabaseCopyRows",
    summary: "Read the next rows of a copy",
    description:
      "Rows of one table, in the order of their keys, about 2 MB at most: the first ones of the first table, or those that `next` of the answer before names. They may be older than rows of other answers; `changes` then has them again.",
    params: CopyParams,
    query: z.object({ table: Table.optional(), key: Key.optional() }),
    answer: ok.data("Rows of a table", RowsResponse, toRows),
    errors: [404, 409],
    handle: ({ params, query, context }) =>
      new DatabaseCopy(context).readRows(params.copyID, query),
  }),
  copies.get("/{copyID}/changes", {
    ...SHARED,
    operationId: "florinReadDatabaseCopyChanges",
    summary: "Read the rows that have changed since a copy began",
    description:
      "The rows are shown as they are now, and replace those that were read before. The server forgets the changes up to `after`.",
    params: CopyParams,
    query: z.object({ after: After }),
    answer: ok.data("Rows that have changed", ChangesResponse, toChanges),
    errors: [409],
    handle: ({ params, query, context }) =>
      new DatabaseCopy(context).readChanges(params.copyID, query.after),
  }),
  copies.post("/{copyID}/end", {
    ...SHARED,
    operationId: "florinEndDatabaseCopy",
    summary: "End a copy with its last changes",
    description:
      "One transaction reads the rows of the changes behind `after`, and ends the copy. All rows that were read are then the database as it was in this transaction.",
    params: CopyParams,
    query: z.object({ after: After }),
    answer: ok.data("The last rows that have changed", EndResponse, toEnd),
    errors: [409],
    handle: ({ params, query, context }) =>
      new DatabaseCopy(context).end(params.copyID, query.after),
  }),
  copies.delete("/{copyID}", {
    ...SHARED,
    operationId: "florinAbandonDatabaseCopy",
    summary: "End a copy without its result",
    description: "A copy that is not under way, or no longer, is no error.",
    params: CopyParams,
    answer: ok.empty("The copy is over"),
    handle: ({ params, context }) => new DatabaseCopy(context).abandon(params.copyID),
  }),
);
