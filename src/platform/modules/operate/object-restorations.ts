import { z } from "@hono/zod-openapi";
import { CopyRow, CopyTable } from "./copy-schemas.ts";
import type { CopiedClass } from "#platform/backup/copied-class.ts";
import { type RestoredObject, restoreStep } from "#platform/backup/restored-class.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import {
  Count,
  ok,
  type Registration,
  registration,
  RestorationParams,
  restorationOperations,
  RESTORING,
  writtenRestorationOf,
} from "#platform/http/index.ts";
import { planOf } from "#platform/restoration/restoration-plan.ts";
import { areRowsAndLogsBack, noteRestoredPart } from "#platform/restoration/restored-parts.ts";

/** Most bytes of a request with rows: a row of an object has at most two million bytes, which JSON writes in twice as many or more. */
const ROWS_BYTES_MAX = 16 * 1024 * 1024;
/** Most tables of an object, and most columns of a table. */
const TABLES_MAX = 100;
const COLUMNS_MAX = 200;
/** Most rows of a request. */
const ROWS_MAX = 20_000;

/** An object that a request names. */
export const ObjectQuery = z.object({
  class: z.string().max(100).openapi({ description: "The class of the object" }),
  name: z.string().max(5000).openapi({ description: "The name of the object" }),
});

const BegunResponse = z
  .object({
    state: z.enum(["open", "ended", "left-out"]).openapi({
      description:
        "`open`: rows are to come; `ended`: the object is back; `left-out`: the database does not have what the object belongs to, or sweeps make the object anew from the database",
    }),
    rows: z.record(z.string(), Count).openapi({
      description: "How many rows of each table have come",
    }),
  })
  .openapi("ObjectRestoration");

/** An object that a request names. Undefined if it is left out. Throws `NOT_FOUND` for a class whose objects are not saved. */
async function objectOf(
  { env }: ServiceContext,
  classes: readonly CopiedClass[],
  query: z.output<typeof ObjectQuery>,
): Promise<RestoredObject | undefined> {
  const found = classes.find(({ name }) => name === query.class);
  if (found === undefined) {
    throw new AppError("NOT_FOUND", `there is no class '${query.class}' of objects that are saved`);
  }
  const { restoredBy } = found;
  if (restoredBy === "database" || !(await found.has(env, query.name))) return undefined;
  return restoredBy(env, query.name);
}

/** As `objectOf`. Throws `NOT_FOUND` for an object that is left out. */
export async function presentObject(
  context: ServiceContext,
  classes: readonly CopiedClass[],
  query: z.output<typeof ObjectQuery>,
): Promise<RestoredObject> {
  const object = await objectOf(context, classes, query);
  if (object === undefined) {
    throw new AppError("NOT_FOUND", `the object '${query.name}' of this class is left out`);
  }
  return object;
}

const restoring = restorationOperations("/api/florin/v1");

/** The operations by which saved objects come back, when the rows of the database and the ledgers are there. */
export const objectRestorationRoutes = (classes: readonly CopiedClass[]): Registration =>
  registration(begin(classes), steps(classes));

const begin = (classes: readonly CopiedClass[]): Registration =>
  restoring.post("/objects", {
    ...RESTORING,
    operationId: "florinBeginObjectRestoration",
    summary: "Begin to restore an object",
    description:
      "Makes the tables of the object as they were at the step of the saved ones. They come when the rows of the database and the ledgers are there. A repetition says how far the object has come.",
    query: ObjectQuery,
    body: z.object({
      step: Count.openapi({
        description:
          "The last step of the saved tables: the largest `step` in the table `migration`; 0 for an object without tables",
      }),
      tables: z
        .array(
          z.object({
            name: CopyTable,
            columns: z.array(z.string().max(200)).max(COLUMNS_MAX).openapi({
              description: "The columns of a row's values, in order",
            }),
            rows: Count.openapi({ description: "The number of rows that come" }),
          }),
        )
        .max(TABLES_MAX),
    }),
    answer: ok.data("How far the object has come", BegunResponse),
    handle: async (request) => {
      const { query, body, context } = request;
      const { reference } = await writtenRestorationOf(request);
      const object = await objectOf(context, classes, query);
      const part = { kind: query.class, name: query.name };
      if (object === undefined) {
        await noteRestoredPart(context, reference, part);
        return { state: "left-out" as const, rows: {} };
      }
      const step = { kind: "begin" as const, restoration: reference, ...body };
      const { isEnded, rows } = await restoreStep<"begin">(object, step);
      if (isEnded) await noteRestoredPart(context, reference, part);
      return { state: isEnded ? ("ended" as const) : ("open" as const), rows: { ...rows } };
    },
  });

const steps = (classes: readonly CopiedClass[]): Registration =>
  registration(
    restoring.post("/objects/tables/{table}", {
      ...RESTORING,
      operationId: "florinRestoreObjectRows",
      summary: "Restore rows of an object's table",
      description:
        "The rows of a table come one after the other, in the order of the backup. Rows that have come already are left as they are, so that a request may be repeated.",
      params: RestorationParams.extend({ table: CopyTable }),
      bodyBytesMax: ROWS_BYTES_MAX,
      query: ObjectQuery,
      body: z.object({
        after: Count.openapi({ description: "How many rows of the table come before these" }),
        rows: z.array(CopyRow).max(ROWS_MAX),
      }),
      answer: ok.empty("The rows are there"),
      handle: async (request) => {
        const { params, query, body, context } = request;
        const { reference: restoration } = await writtenRestorationOf(request);
        const object = await presentObject(context, classes, query);
        const { table } = params;
        await restoreStep<"rows">(object, { kind: "rows", restoration, table, ...body });
      },
    }),
    restoring.post("/objects/end", {
      ...RESTORING,
      operationId: "florinEndObjectRestoration",
      summary: "End the restoration of an object",
      description:
        "When all rows have come, they are fitted to the database and to the ledgers, which are as of earlier moments. What the object has known of later ones does no harm then. The object works when the restoration of the deployment has ended.",
      query: ObjectQuery,
      body: z.object({
        counters: z.record(z.string().max(200), Count).openapi({
          description:
            "The largest ids that tables have given away, where they exceed those of their rows",
        }),
      }),
      answer: ok.empty("The object is back"),
      handle: async (request) => {
        const { query, body, context } = request;
        const known = await writtenRestorationOf(request);
        const { reference: restoration, moment } = known;
        if (!(await areRowsAndLogsBack(context, planOf(known)))) {
          throw new AppError(
            "CONFLICT",
            "objects are fitted to the database and the ledgers: their ends come behind all rows and logs",
          );
        }
        const object = await presentObject(context, classes, query);
        const { counters } = body;
        const databaseMs = Date.parse(moment);
        await restoreStep<"end">(object, {
          kind: "end",
          restoration,
          counters,
          moment: { databaseMs },
        });
        await noteRestoredPart(context, restoration, { kind: query.class, name: query.name });
      },
    }),
  );
