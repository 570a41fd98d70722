import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { LogOrigins } from "#ledger-engine";
import { LedgerSaving, type SavedLedger } from "#modules/ledger/service/saved-ledgers.ts";
import { LedgerResponse } from "#modules/ledger/wire/schemas.ts";
import {
  type AppEnv,
  Count,
  endpoint,
  errors,
  ok,
  operations,
  registration,
  texts,
} from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** The id of a log entry in a query: -1 stands for the beginning of the log. */
const LogId = z
  .string()
  .regex(/^(?:-1|\d{1,16})$/, "expected the id of a log entry, or -1")
  .transform(Number)
  .refine(Number.isSafeInteger, "expected an id below 2^53")
  .openapi({ type: "integer", minimum: -1 });

const BackupId = z.uuid().openapi({
  description: "The id of the backup, which the answer of its beginning has",
});

const PATH = "/backup/ledgers";
const SHARED = { scope: "florin:operate", work: "backup" } as const;

const SavedLedgerResponse = LedgerResponse.extend({
  uuid: z.uuid(),
  lastLogId: z.int().min(-1).openapi({
    description: "The id of the last log entry; -1 if the log is empty",
  }),
  lastHash: z.string().openapi({
    description: "The hash of the last entry as an export has it; empty if there is none",
  }),
  publishedLogId: Count.openapi({
    description: "The id of the last entry whose event is known to be published",
  }),
  importedLogId: Count.optional().openapi({
    description: "The id of the last entry that was imported; absent if none was",
  }),
}).openapi("SavedLedger");

const SilentLedgerResponse = z
  .object({
    uuid: z.uuid(),
    name: z.string(),
    reason: z.string().openapi({ description: "Why, as a sentence" }),
  })
  .openapi("SilentLedger");

const SavedLedgersResponse = z
  .object({
    ledgers: z.array(SavedLedgerResponse),
    failed: z.array(SilentLedgerResponse).openapi({
      description: "Ledgers that could not be asked how far their logs go",
    }),
    next: Count.optional().openapi({
      description: "`after` of the next page; absent on the last page",
    }),
  })
  .openapi("SavedLedgers");

const Author = z
  .object({ issuer: z.string(), subject: z.string(), clientId: z.string() })
  .nullable();

const OriginsResponse = z
  .object({
    authors: z.array(z.object({ from: Count, author: Author })).openapi({
      description:
        "Entries from `from` on are by this author, up to the next item; null for an unknown one, as those before the first item have",
    }),
    causes: z.array(z.object({ log: Count, depth: Count })).openapi({
      description: "How many triggers, one after the other, led to an entry, where any did",
    }),
    notes: z.array(z.object({ log: Count, notes: z.array(z.string()) })).openapi({
      description: "What is odd about imported entries",
    }),
    upTo: Count.openapi({ description: "The last entry of the answer: `after` of the next page" }),
  })
  .openapi("LogOrigins");

function toLedgerView(ledger: SavedLedger): z.input<typeof SavedLedgerResponse> {
  const { id, uuid, name, bucket, metadata, features, location, addedAt, deletedAt } = ledger;
  const { lastLogId, lastHash, publishedLogId, importedLogId } = ledger;
  return {
    id,
    uuid,
    name,
    bucket,
    metadata,
    features: { ...features },
    ...(location === undefined ? {} : { location }),
    addedAt: formatTimestamp(addedAt),
    ...optionalTimestamp("deletedAt", deletedAt),
    lastLogId,
    lastHash,
    publishedLogId,
    ...(importedLogId === undefined ? {} : { importedLogId }),
  };
}

const toOriginsView = ({
  authors,
  causes,
  notes,
  upTo,
}: LogOrigins): z.input<typeof OriginsResponse> => ({
  authors: authors.map(({ from, author }) => ({ from, author: author ?? null })),
  causes: [...causes],
  notes: notes.map(({ id, notes: sentences }) => ({ log: id, notes: [...sentences] })),
  upTo,
});

const UuidParams = z.object({ uuid: z.uuid() });
const RangeQuery = z.object({
  backup: BackupId,
  after: LogId.openapi({ description: "The entry after which the answer begins" }),
  to: LogId.openapi({ description: "The last entry that is wanted" }),
});

const saved = operations({ path: PATH, tags: ["Ledgers"], scope: "ledger", honoursLedgers: false });

const registerOthers = registration(
  saved.get("", {
    ...SHARED,
    operationId: "florinListSavedLedgers",
    summary: "List the ledgers for a backup, and how far their logs go",
    description:
      "All ledgers that are not being purged, those of deleted buckets included, in the order in which they were made.",
    query: z.object({
      backup: BackupId,
      after: z
        .string()
        .regex(/^\d{1,15}$/, "expected the id of a ledger")
        .transform(Number)
        .default(0)
        .openapi({ type: "integer", description: "`next` of the page before; absent at first" }),
    }),
    answer: ok.data("Some ledgers", SavedLedgersResponse),
    errors: [404],
    handle: async ({ query, context }) => {
      const { ledgers, failed, next } = await new LedgerSaving(context, query.backup).list(
        query.after,
      );
      const page = {
        ledgers: ledgers.map(toLedgerView),
        failed: failed.map(({ uuid, name, reason }) => ({ uuid, name, reason })),
      };
      return next === undefined ? page : { ...page, next };
    },
  }),
  saved.get("/{uuid}/origins", {
    ...SHARED,
    operationId: "florinReadSavedOrigins",
    summary: "Read for a backup what the log of a ledger does not determine",
    description:
      "The authors of entries, the triggers that led to them, and the notes of imports. Hashes do not cover them, and exports do not have them.",
    params: UuidParams,
    query: RangeQuery,
    answer: ok.data("Facts about some entries", OriginsResponse, toOriginsView),
    errors: [404],
    handle: ({ params, query: { backup, ...range }, context }) =>
      new LedgerSaving(context, backup).origins({ ...params, ...range }),
  }),
);

/** Registers what a backup reads of ledgers, below `/api/florin/v1/backup/ledgers`. */
export function registerSavedLedgers(app: OpenAPIHono<AppEnv>): void {
  registerOthers(app);
  endpoint(
    app,
    {
      ...SHARED,
      method: "get",
      path: `${PATH}/{uuid}/log`,
      operationId: "florinReadSavedLog",
      summary: "Read the log of a ledger for a backup",
      description:
        "The first entries after `after` and up to `to`, oldest first, each on one line, with the text of an export. An answer has about 16 MB at most, is written while the client reads it, and is cut off at an entry that cannot be read: a client goes on after the last whole line.",
      tags: ["Ledgers"],
      honoursLedgers: false,
      params: UuidParams,
      query: RangeQuery,
      responses: {
        200: texts("One entry on each line, as JSON", "application/octet-stream"),
        ...errors(404, 429),
      },
    },
    ({ params, query: { backup, ...range }, context }) => ({
      status: 200,
      texts: new LedgerSaving(context, backup).log({ ...params, ...range }),
    }),
  );
}
