import { z } from "@hono/zod-openapi";
import type { RowsAt, RowsOfTable } from "#platform/backup/copied-rows.ts";
import type { ChangedRow, CopiedChanges, CopyEnd } from "#platform/backup/table-copy.ts";
import { Count } from "#platform/http/index.ts";

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
export const CopyRow = z
  .array(Value)
  .openapi({ description: "The values of a row in the order of its table's columns" });
export const CopyTable = z.string().max(200);
export const CopyKey = z.string().max(10_000);

export const CopyRowsResponse = z
  .object({
    table: CopyTable,
    columns: z.array(z.string()),
    key: z.array(z.string()).openapi({ description: "The columns that identify a row" }),
    rows: z.array(CopyRow),
    next: z.object({ table: CopyTable, key: CopyKey.optional() }).optional().openapi({
      description:
        "The parameters that give the next rows; absent after the last row of the last table",
    }),
  })
  .openapi("DatabaseCopyRows");

const ChangedRowResponse = z
  .object({
    table: CopyTable,
    key: CopyKey.openapi({
      description: "The values of the columns that identify the row, as the text of a JSON list",
    }),
    row: CopyRow.optional().openapi({ description: "The row as it is now; absent if it is gone" }),
  })
  .openapi("DatabaseCopyChangedRow");

export const CopyChangesResponse = z
  .object({
    rows: z.array(ChangedRowResponse),
    after: Count.openapi({ description: "The number of the last change that was read" }),
    left: Count.openapi({ description: "How many later changes there are" }),
  })
  .openapi("DatabaseCopyChanges");

export const CopyEndResponse = z
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

export const toCopyRows = ({
  table,
  columns,
  key,
  rows,
  next,
}: RowsOfTable): z.input<typeof CopyRowsResponse> => ({
  table,
  columns: [...columns],
  key: [...key],
  rows: rows.map((row) => [...row]),
  ...(next === undefined ? {} : { next: { table: next.table, ...keyOf(next) } }),
});

const keyOf = ({ key }: RowsAt): { key?: string } => (key === undefined ? {} : { key });

export const toCopyChanges = ({
  rows,
  after,
  left,
}: CopiedChanges): z.input<typeof CopyChangesResponse> => ({
  rows: rows.map(toChangedRow),
  after,
  left,
});

export const toCopyEnd = (end: CopyEnd | undefined): z.input<typeof CopyEndResponse> => ({
  ended: end !== undefined,
  rows: (end?.rows ?? []).map(toChangedRow),
  counters: { ...end?.counters },
});

export const AfterChange = z
  .string()
  .regex(/^\d{1,15}$/, "expected the number of a change")
  .transform(Number)
  .default(0)
  .openapi({
    type: "integer",
    description: "`after` of the answer before; absent at first",
  });
