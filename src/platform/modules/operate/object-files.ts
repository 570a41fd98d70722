import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { assertBegun } from "#platform/backup/begun-backups.ts";
import type { CopiedClass } from "#platform/backup/copied-class.ts";
import type { KeptFiles } from "#platform/backup/kept-files.ts";
import { AppError } from "#platform/errors.ts";
import {
  type AppEnv,
  Count,
  endpoint,
  errors,
  ok,
  operations,
  type Registration,
  registration,
  texts,
} from "#platform/http/index.ts";

const PATH = "/api/florin/v1/backup/objects/files";
const SHARED = { scope: "florin:operate", work: "backup" } as const;

const BackupId = z.uuid().openapi({
  description: "The id of the backup, which the answer of its beginning has",
});
const ClassName = z.string().max(100).openapi({ description: "The class of the object" });

const FilesResponse = z
  .object({
    files: z.array(
      z.object({
        class: z.string(),
        name: z.string().openapi({ description: "The name of the object" }),
        file: z.string().openapi({ description: "The id of the file" }),
        bytes: Count,
        sha256: z.string(),
      }),
    ),
    next: z.object({ class: z.string(), after: Count }).optional().openapi({
      description: "`class` and `after` of the next page; absent on the last page",
    }),
  })
  .openapi("KeptFiles");

/** A class whose objects keep files. */
interface KeepingClass {
  readonly name: string;
  readonly files: KeptFiles;
}

/** A page of the files of a class, and where the next one is: on the next page, or in the next class. */
async function listFiles(
  env: Env,
  classes: readonly KeepingClass[],
  from: { readonly class?: string | undefined; readonly after: number },
): Promise<z.input<typeof FilesResponse>> {
  const place = from.class === undefined ? 0 : classes.findIndex(({ name }) => name === from.class);
  const found = classes[place];
  if (found === undefined) throw unknownClass(from.class);
  const { files, next } = await found.files.after(env, from.after);
  const page = { files: files.map((file) => ({ class: found.name, ...file })) };
  if (next !== undefined) return { ...page, next: { class: found.name, after: next } };
  const following = classes[place + 1];
  return following === undefined ? page : { ...page, next: { class: following.name, after: 0 } };
}

const unknownClass = (name = ""): AppError =>
  new AppError("NOT_FOUND", `there is no class '${name}' of objects that keep files`);

const group = operations({
  path: PATH,
  tags: ["Backups"],
  scope: "florin",
  honoursLedgers: false,
});

/** The operations by which a backup reads the files that objects keep beside their tables. */
export function objectFileRoutes(all: readonly CopiedClass[]): Registration {
  const classes = all.flatMap(({ name, files }) => (files === undefined ? [] : [{ name, files }]));
  return registration(
    group.get("", {
      ...SHARED,
      operationId: "florinListKeptFiles",
      summary: "List the files that objects keep beside their tables",
      description:
        "The files of statements that are ready or being read. A file never changes, so that a backup which has its SHA-256 need not read it again.",
      query: z.object({
        backup: BackupId,
        class: ClassName.optional(),
        after: z.coerce.number().int().min(0).default(0).openapi({
          description: "`after` of `next` of the page before",
        }),
      }),
      answer: ok.data("Some files", FilesResponse),
      errors: [404],
      handle: async ({ query, context }) => {
        await assertBegun(context, query.backup);
        return listFiles(context.env, classes, query);
      },
    }),
    (app) => registerContent(app, classes),
  );
}

function registerContent(app: OpenAPIHono<AppEnv>, classes: readonly KeepingClass[]): void {
  endpoint(
    app,
    {
      ...SHARED,
      method: "get",
      path: `${PATH}/content`,
      operationId: "florinReadKeptFile",
      summary: "Read the bytes of a file that an object keeps",
      description: "Wherever they are: in the object, or in a bucket.",
      tags: ["Backups"],
      honoursLedgers: false,
      query: z.object({
        backup: BackupId,
        class: ClassName,
        name: z.string().max(5000).openapi({ description: "The name of the object" }),
        file: z.string().max(100).openapi({ description: "The id of the file" }),
      }),
      responses: {
        200: texts("The bytes of the file", "application/octet-stream"),
        ...errors(404, 429),
      },
    },
    async ({ query: { backup, ...place }, context }) => {
      await assertBegun(context, backup);
      const found = classes.find(({ name }) => name === place.class);
      if (found === undefined) throw unknownClass(place.class);
      return { status: 200, texts: found.files.read(context.env, place) };
    },
  );
}
