import { z } from "@hono/zod-openapi";
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
} from "./copy-schemas.ts";
import { assertBegun } from "#platform/backup/begun-backups.ts";
import {
  type CopiedClass,
  type CopiedObject,
  copyStep,
  NAMES_MAX,
} from "#platform/backup/copied-class.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { ok, operations, type Registration, registration } from "#platform/http/index.ts";

const ClassName = z.string().max(100).openapi({ description: "The class of the object" });
const ObjectName = z.string().max(5000).openapi({ description: "The name of the object" });

const BackupQuery = z.object({
  backup: z.uuid().openapi({
    description: "The id of the backup, which the answer of its beginning has",
  }),
});
const ObjectQuery = BackupQuery.extend({ class: ClassName, name: ObjectName });
const CopyParams = z.object({ copyID: z.string().max(100) });

const Place = z.object({ class: z.string(), name: z.string() });

const ObjectsResponse = z
  .object({
    objects: z.array(Place),
    next: Place.optional().openapi({
      description: "`class` and `name` of the next page; absent on the last page",
    }),
  })
  .openapi("CopiedObjects");

const BegunResponse = z.object({ id: z.uuid() }).openapi("ObjectCopy");

/** The objects of a class and of all later ones, behind a name of the class. */
async function listObjects(
  { env }: ServiceContext,
  classes: readonly CopiedClass[],
  from: { readonly class?: string | undefined; readonly name?: string | undefined },
): Promise<z.input<typeof ObjectsResponse>> {
  const place = from.class === undefined ? 0 : classes.findIndex(({ name }) => name === from.class);
  const found = classes[place];
  if (found === undefined) throw unknownClass(from.class);
  const names = await found.namesAfter(env, from.name ?? "");
  const objects = names.map((name) => ({ class: found.name, name }));
  const last = objects.at(-1);
  const following = classes[place + 1];
  if (last !== undefined && names.length >= NAMES_MAX) return { objects, next: last };
  return following === undefined
    ? { objects }
    : { objects, next: { class: following.name, name: "" } };
}

const unknownClass = (name = ""): AppError =>
  new AppError("NOT_FOUND", `there is no class '${name}' of objects that are copied`);

/** The object that a call names. Throws `NOT_FOUND` unless the caller has begun the backup, and for objects that nobody has made. */
async function objectOf(
  context: ServiceContext,
  classes: readonly CopiedClass[],
  query: z.output<typeof ObjectQuery>,
): Promise<CopiedObject> {
  await assertBegun(context, query.backup);
  const found = classes.find(({ name }) => name === query.class);
  if (found === undefined) throw unknownClass(query.class);
  if (!(await found.has(context.env, query.name))) {
    throw new AppError("NOT_FOUND", `there is no object '${query.name}' of this class`);
  }
  return found.objectOf(context.env, query.name);
}

const copies = operations({
  path: "/api/florin/v1/backup/objects",
  tags: ["Backups"],
  scope: "florin",
  honoursLedgers: false,
});
const SHARED = { scope: "florin:operate", work: "backup" } as const;

/** The operations by which a backup copies the tables of objects. */
export const objectCopyRoutes = (classes: readonly CopiedClass[]): Registration =>
  registration(beginnings(classes), steps(classes));

function beginnings(classes: readonly CopiedClass[]): Registration {
  return registration(
    copies.get("", {
      ...SHARED,
      operationId: "florinListCopiedObjects",
      summary: "List the objects whose tables a backup copies",
      description:
        "Objects that hold what is nowhere else, class by class. Ledgers are saved as their logs; what can be rebuilt, and caches, are left out.",
      query: BackupQuery.extend({ class: ClassName.optional(), name: ObjectName.optional() }),
      answer: ok.data("Some objects", ObjectsResponse),
      errors: [404],
      handle: async ({ query, context }) => {
        await assertBegun(context, query.backup);
        return listObjects(context, classes, query);
      },
    }),
    copies.post("/copies", {
      ...SHARED,
      operationId: "florinBeginObjectCopy",
      summary: "Begin a copy of an object's tables",
      description:
        "One copy of an object is made at a time. Until it ends, the object notes which rows change. A copy from which nothing is read for ten minutes ends without a result.",
      query: ObjectQuery,
      answer: ok.created("The copy", BegunResponse),
      errors: [404, 409],
      handle: async ({ query, context }) =>
        copyStep<"begin">(await objectOf(context, classes, query), { kind: "begin" }),
    }),
  );
}

/** The operations of a copy that has begun. */
function steps(classes: readonly CopiedClass[]): Registration {
  const objectFor = (context: ServiceContext, query: z.output<typeof ObjectQuery>) =>
    objectOf(context, classes, query);
  return registration(
    copies.get("/copies/{copyID}/rows", {
      ...SHARED,
      operationId: "florinReadObjectCopyRows",
      summary: "Read the next rows of an object's copy",
      description:
        "Rows of one table, about 2 MB at most: the first ones of the first table, or those that `next` of the answer before names.",
      params: CopyParams,
      query: ObjectQuery.extend({ table: CopyTable.optional(), key: CopyKey.optional() }),
      answer: ok.data("Rows of a table", CopyRowsResponse, toCopyRows),
      errors: [404, 409],
      handle: async ({ params, query, context }) => {
        const { table, key } = query;
        const step = { kind: "rows" as const, id: params.copyID, sought: { table, key } };
        return copyStep<"rows">(await objectFor(context, query), step);
      },
    }),
    copies.get("/copies/{copyID}/changes", {
      ...SHARED,
      operationId: "florinReadObjectCopyChanges",
      summary: "Read the rows of an object that have changed since its copy began",
      params: CopyParams,
      query: ObjectQuery.extend({ after: AfterChange }),
      answer: ok.data("Rows that have changed", CopyChangesResponse, toCopyChanges),
      errors: [404, 409],
      handle: async ({ params, query, context }) => {
        const step = { kind: "changes" as const, id: params.copyID, after: query.after };
        return copyStep<"changes">(await objectFor(context, query), step);
      },
    }),
    copies.post("/copies/{copyID}/end", {
      ...SHARED,
      operationId: "florinEndObjectCopy",
      summary: "End the copy of an object's tables with its last changes",
      params: CopyParams,
      query: ObjectQuery.extend({ after: AfterChange }),
      answer: ok.data("The last rows that have changed", CopyEndResponse, toCopyEnd),
      errors: [404, 409],
      handle: async ({ params, query, context }) => {
        const step = { kind: "end" as const, id: params.copyID, after: query.after };
        return copyStep<"end">(await objectFor(context, query), step);
      },
    }),
    copies.delete("/copies/{copyID}", {
      ...SHARED,
      operationId: "florinAbandonObjectCopy",
      summary: "End the copy of an object's tables without its result",
      description: "A copy that is not under way, or no longer, is no error.",
      params: CopyParams,
      query: ObjectQuery,
      answer: ok.empty("The copy is over"),
      errors: [404],
      handle: async ({ params, query, context }) =>
        copyStep<"abandon">(await objectFor(context, query), {
          kind: "abandon",
          id: params.copyID,
        }),
    }),
  );
}
