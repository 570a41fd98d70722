import { z } from "@hono/zod-openapi";
import {
  beginRestoration,
  type BegunRestoration,
  beginWriting,
  whyNotHere,
} from "#modules/deployment/restoration/begin.ts";
import {
  readRestorationProgress,
  type RestorationProgress,
  type RestoredTable,
} from "#modules/deployment/restoration/progress.ts";
import { writeRestoredRows } from "#modules/deployment/restoration/write-rows.ts";
import {
  Count,
  ok,
  operations,
  registration,
  restorationOf,
  restorationOperations,
  RestorationParams,
  RESTORING,
  TimestampOutput,
} from "#platform/http/index.ts";
import { CopyRow, CopyTable } from "#platform/modules/operate/copy-schemas.ts";
import { assertMayRestore, findRestoring } from "#platform/restoration/restoration-token.ts";
import { assertTakingBackup } from "#platform/restoration/restore-mode.ts";
import { RESTORATION_TOKEN } from "#platform/restoration/token-text.ts";
import { formatTimestamp } from "#platform/time.ts";

const Sha256 = z.string().regex(/^[\da-f]{64}$/, "expected 64 hexadecimal digits");

/** Most rows of a request, and most bytes of its body: a row of D1 has at most two million bytes, which JSON writes in twice as many or more. */
const ROWS_MAX = 5000;
const ROWS_BYTES_MAX = 16 * 1024 * 1024;
/** Most bytes of what begins a restoration. */
const PLAN_BYTES_MAX = 4 * 1024 * 1024;
/** Most keys with which the values of a backup may be encrypted. */
const KEYS_MAX = 100;
/** Most tables or classes, and most ledgers without a log: a plan is one value of the database, of at most two million bytes. */
const KINDS_MAX = 1000;
const MISSING_MAX = 40_000;
const TOO_MANY_MISSING = `a restoration takes a backup that lacks the logs of at most ${MISSING_MAX} ledgers of its database: make or take another snapshot, of a time when fewer ledgers were being purged`;

const Counts = z
  .record(z.string().max(200), Count)
  .refine((counts) => Object.keys(counts).length <= KINDS_MAX, `expected at most ${KINDS_MAX}`);

const BegunResponse = z
  .object({
    id: z.uuid(),
    beganAt: TimestampOutput,
  })
  .openapi("BegunRestoration");

const TableResponse = z
  .object({
    name: z.string(),
    rows: Count.openapi({ description: "How many rows were written" }),
    complete: z.boolean().openapi({ description: "Whether these are all" }),
  })
  .openapi("RestoredTable");

const ProgressResponse = z
  .object({
    id: z.uuid(),
    backup: Sha256,
    beganAt: TimestampOutput,
    stage: z.enum(["under-way", "abandoned", "ended"]).openapi({
      description: "Of one that was given up, a part was written",
    }),
    tables: z.array(TableResponse),
  })
  .openapi("RestorationProgress");

const FoundResponse = ProgressResponse.extend({
  problem: z.string().optional().openapi({
    description:
      "Why the restoration cannot go on at this server: its keys or tables are no longer those with which it has begun",
  }),
}).openapi("FoundRestoration");

const toBegunView = ({ id, beganAt }: BegunRestoration): z.input<typeof BegunResponse> => ({
  id,
  beganAt: formatTimestamp(beganAt),
});

const toProgressView = ({
  id,
  backup,
  beganAt,
  stage,
  tables,
}: RestorationProgress): z.input<typeof ProgressResponse> => ({
  id,
  backup,
  beganAt: formatTimestamp(beganAt),
  stage,
  tables: tables.map(toTableView),
});

const toFoundView = ({
  problem,
  ...progress
}: RestorationProgress & { readonly problem: string | undefined }): z.input<
  typeof FoundResponse
> => ({ ...toProgressView(progress), ...(problem === undefined ? {} : { problem }) });

const toTableView = ({ name, rows, isComplete }: RestoredTable): z.input<typeof TableResponse> => ({
  name,
  rows,
  complete: isComplete,
});

const restorations = operations({
  path: "/restorations",
  tags: ["Restorations"],
  scope: "florin",
  // A backup has everything, whoever it belongs to.
  honoursLedgers: false,
});
const restoring = restorationOperations();

/** Registers the beginning of restorations and the writing of the database, below `/api/florin/v1/restorations`. */
export const registerRestorations = registration(
  restorations.post("", {
    scope: "florin:operate",
    operationId: "florinBeginRestoration",
    summary: "Begin to restore a backup into an empty deployment",
    description:
      "Only a deployment that is served with `FLORIN_RESTORE` takes one. From the first moment on it is disarmed. For the same backup, a restoration that is under way goes on with the token of the request.",
    before: (c) => assertTakingBackup(c.env),
    bodyBytesMax: PLAN_BYTES_MAX,
    body: z.object({
      token: z.string().regex(RESTORATION_TOKEN, "expected a token of a restoration").openapi({
        description:
          "The token that all requests of the restoration carry from now on as `Authorization: Bearer …`: `restoration-` and 256 secret bits in base64url",
      }),
      backup: Sha256.openapi({ description: "The SHA-256 of the snapshot's manifest" }),
      moment: z.iso.datetime().openapi({
        description: "When the saved database was copied, as the manifest says",
      }),
      keyIds: z.array(z.string().max(100)).max(KEYS_MAX).openapi({
        description: "The ids of the keys with which values of the backup are encrypted",
      }),
      migration: z.string().max(200).openapi({
        description: "The last migration of the tables whose rows will be written",
      }),
      tables: Counts.openapi({ description: "The number of rows of each table" }),
      ledgers: Count.openapi({ description: "The number of ledgers whose logs will be written" }),
      missingLedgers: z.array(z.uuid()).max(MISSING_MAX, TOO_MANY_MISSING).default([]).openapi({
        description: "Ledgers that the database has, and the backup has no log of",
      }),
      objects: Counts.openapi({ description: "The number of objects of each class" }),
      goesOn: z.boolean().default(false).openapi({
        description: "Whether only a restoration that is under way goes on, and none begins",
      }),
    }),
    answer: ok.created("The restoration", BegunResponse, toBegunView),
    errors: [409],
    handle: ({ body, context }) => beginRestoration(context, body),
  }),
  restorations.get("", {
    ...RESTORING,
    scope: "public",
    operationId: "florinFindRestoration",
    summary: "Find the restoration of a token",
    description: "The request carries the token of a restoration, and no access token.",
    before: (c) => assertMayRestore(c.env, c.req.raw),
    answer: ok.data("The restoration", FoundResponse, toFoundView),
    handle: async ({ c, context }) => {
      const found = await findRestoring(context.env, { request: c.req.raw, mayBeOver: true });
      return {
        ...(await readRestorationProgress(context, found)),
        problem: found.stage === "under-way" ? whyNotHere(context.env, found) : undefined,
      };
    },
  }),
  restoring.get("", {
    ...RESTORING,
    operationId: "florinReadRestoration",
    summary: "Read how far a restoration has come",
    answer: ok.data("The restoration", ProgressResponse, toProgressView),
    handle: async (request) =>
      readRestorationProgress(request.context, await restorationOf(request, { mayBeOver: true })),
  }),
  restoring.post("/tables/{table}", {
    ...RESTORING,
    operationId: "florinRestoreRows",
    summary: "Write rows of a table of the database",
    description:
      "Tables are written in an order in which rows come after those that they refer to, and the rows of a table one after the other. The first ones replace what the table has. Rows that were written already are left as they are, so that a request may be repeated.",
    params: RestorationParams.extend({ table: CopyTable }),
    bodyBytesMax: ROWS_BYTES_MAX,
    body: z.object({
      columns: z.array(z.string().max(200)).openapi({
        description: "The columns of a row's values, in order",
      }),
      rows: z.array(CopyRow).max(ROWS_MAX),
      from: Count.openapi({ description: "How many rows of the table come before these" }),
      last: z.boolean().openapi({ description: "Whether these are the last rows of the table" }),
      migration: z.string().max(200).openapi({
        description:
          "The last migration of the tables of the rows, which is that of the beginning: rows of other tables are counted differently",
      }),
      counter: Count.optional().openapi({
        description: "The largest id that the table has given away, where its rows do not show it",
      }),
    }),
    answer: ok.data("How far the table is", TableResponse, toTableView),
    handle: async (request) => {
      const { last: isLast, ...rows } = request.body;
      const { table } = request.params;
      const restoration = await restorationOf(request);
      await beginWriting(request.context, restoration);
      return writeRestoredRows(request.context, restoration, { table, isLast, ...rows });
    },
  }),
);
