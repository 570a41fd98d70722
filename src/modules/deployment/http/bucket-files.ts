import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { listBackupFiles, readBackupFile } from "#modules/deployment/backup/bucket-files.ts";
import { assertBegun } from "#platform/backup/begun-backups.ts";
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

const PATH = "/backup/bucket/files";
const SHARED = { scope: "florin:operate", work: "backup" } as const;

const BackupId = z.uuid().openapi({
  description:
    "The id of a backup, which the answer of its beginning has: the audit then has who reads",
});

const FilesResponse = z
  .object({
    files: z.array(z.object({ key: z.string(), bytes: Count })),
    next: z.string().optional().openapi({
      description: "`cursor` of the next page; absent on the last page",
    }),
  })
  .openapi("BucketFiles");

const files = operations({ path: PATH, tags: ["Backups"], scope: "florin", honoursLedgers: false });

const registerList = registration(
  files.get("", {
    ...SHARED,
    operationId: "florinListBucketFiles",
    summary: "List the files of the backups in the deployment's bucket",
    description:
      "In the order of their keys, which are the paths of the folder of a backup. A snapshot without a `manifest.json` is not complete.",
    query: z.object({ backup: BackupId, cursor: z.string().max(2000).optional() }),
    answer: ok.data("Some files", FilesResponse),
    errors: [404],
    handle: async ({ query: { backup, cursor }, context }) => {
      await assertBegun(context, backup);
      return listBackupFiles(context.env, cursor);
    },
  }),
);

/** Registers the files of the deployment's own backups, below `/api/florin/v1/backup/bucket/files`. */
export function registerBucketFiles(app: OpenAPIHono<AppEnv>): void {
  registerList(app);
  endpoint(
    app,
    {
      ...SHARED,
      method: "get",
      path: `${PATH}/content`,
      operationId: "florinReadBucketFile",
      summary: "Read a file of the backups in the deployment's bucket",
      tags: ["Backups"],
      honoursLedgers: false,
      query: z.object({
        backup: BackupId,
        key: z
          .string()
          .max(1000)
          .openapi({ description: "The key of the file, as the list has it" }),
      }),
      responses: {
        200: texts("The bytes of the file", "application/octet-stream"),
        ...errors(404, 429),
      },
    },
    async ({ query: { backup, key }, context }) => {
      await assertBegun(context, backup);
      return { status: 200, texts: await readBackupFile(context.env, key) };
    },
  );
}
