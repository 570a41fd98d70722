import { z } from "@hono/zod-openapi";
import { DatabaseCopy } from "#modules/deployment/backup/database-copy.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import {
  AfterChange,
  CopyChangesResponse,
  CopyEndResponse,
  CopyKey,
  CopyRowsResponse,
  CopyTable,
  toCopyChanges,
  toCopyEnd,
  toCopyRows,
} from "#platform/modules/operate/copy-schemas.ts";

const CopyResponse = z.object({ id: z.uuid() }).openapi("DatabaseCopy");

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
    query: z.object({ table: CopyTable.optional(), key: CopyKey.optional() }),
    answer: ok.data("Rows of a table", CopyRowsResponse, toCopyRows),
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
    query: z.object({ after: AfterChange }),
    answer: ok.data("Rows that have changed", CopyChangesResponse, toCopyChanges),
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
    query: z.object({ after: AfterChange }),
    answer: ok.data("The last rows that have changed", CopyEndResponse, toCopyEnd),
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
