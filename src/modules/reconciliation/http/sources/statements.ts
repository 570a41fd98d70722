import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { SourceParams } from "./sources.ts";
import {
  FileLineResponse,
  PreviewRequest,
  PreviewResponse,
  StatementResponse,
  toContent,
  toLineView,
  toPreviewView,
  toStatementView,
} from "./statement-schemas.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { LIST, PageParams, toPage } from "#modules/reconciliation/http/lists.ts";
import { uuidParam } from "#modules/reconciliation/http/path-ids.ts";
import {
  deleteStatement,
  fileOfStatement,
  linesOfStatement,
  statementOf,
  statementsOf,
  uploadStatement,
} from "#modules/reconciliation/sources/statements.ts";
import { previewFile } from "#modules/reconciliation/statements/preview.ts";
import {
  type AppEnv,
  Chunks,
  dataOf,
  deploymentOf,
  empty,
  endpoint,
  errors,
  json,
  ok,
  operations,
  type Registration,
  registration,
  texts,
  toPageQuery,
} from "#platform/http/index.ts";

const group = {
  path: "/reconciliation/sources",
  tags: ["Sources"],
  scope: "reconciliation",
  params: SourceParams,
} as const;
const sources = operations(group);
const StatementParams = SourceParams.extend({ statementID: uuidParam() });
const statements = operations({ ...group, params: StatementParams });

const UploadQuery = z.object({
  filename: z.string().max(255).optional().openapi({ description: "The name of the file." }),
  overlap: z.enum(["allow", "refuse"]).default("refuse").openapi({
    description:
      "Whether the period may overlap that of another statement of the same account and asset.",
  }),
});

function registerUpload(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/reconciliation/sources/{sourceID}/statements",
      operationId: "florinUploadStatement",
      work: "upload",
      summary: "Upload a file of statements",
      description:
        "The body is the file as the bank or provider gives it, of at most 50 MB: camt.053, MT940, MT942, BAI2, OFX, CSV with the mapping of the source, JSON lines, the balance report of Stripe or the settlement detail of Adyen. It is read to its end before any of its lines counts. A file that cannot be read is refused with the place of the field at fault in `details`, as JSON, and the refusal is kept. So is one that contradicts its own balances, or does not fit what the source has.",
      tags: group.tags,
      scope: "reconciliation:write",
      params: SourceParams,
      query: UploadQuery,
      body: Chunks,
      bodyKind: "chunks",
      responses: {
        201: json("The statement, which is ready", dataOf(StatementResponse)),
        // No example can show it, because it takes a file that is read for ten seconds.
        202: empty("The statement, as with 201, while it is still being read"),
        ...errors(404, 409, 413),
      },
    },
    async ({ params, query, body: chunks, context, c }) => {
      const length = c.req.header("content-length");
      const shown = await uploadStatement(await actingOf(c, context), params.sourceID, {
        chunks,
        fileName: query.filename,
        mayOverlap: query.overlap === "allow",
        declaredBytes: length === undefined ? undefined : Number(length),
      });
      const body = { data: toStatementView(shown) };
      const accepted = { status: 202 as const, body };
      return shown.statement.state === "ready" ? { status: 201, body } : accepted;
    },
  );
}

function registerFile(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/reconciliation/sources/{sourceID}/statements/{statementID}/file",
      operationId: "florinReadStatementFile",
      work: "export",
      summary: "Read the file of a statement as it was uploaded",
      description: "Files that were refused are not kept.",
      tags: group.tags,
      scope: "reconciliation:read",
      params: StatementParams,
      responses: {
        200: texts("The bytes of the file", "application/octet-stream"),
        ...errors(404),
      },
    },
    async ({ params, context, c }) => ({
      status: 200,
      texts: fileOfStatement(await actingOf(c, context), params),
    }),
  );
}

const LINES = { columns: { key: "integer" }, column: "key", order: "asc" } as const;

/** Registers the operations on statements. `preview` comes before `{sourceID}`, which would take it for an id. */
export const registerStatements: Registration = registration(
  sources.post("/preview", {
    operationId: "florinPreviewStatement",
    summary: "Read a file, or its beginning, without storing anything",
    description:
      "Says which formats the content may have, and its heads and first 50 lines, or why it would be refused. Without a `format`, the content is read in the only one that it may have, and by a `mapping` as CSV.",
    params: z.object({}),
    body: PreviewRequest,
    answer: ok.data("What the content gives", PreviewResponse, toPreviewView),
    handle: ({ body }) => {
      const { isPartial, content: _content, ...reading } = body;
      return previewFile(toContent(body), reading, { isPartial });
    },
  }),
  registerUpload,
  sources.get("/{sourceID}/statements", {
    operationId: "florinListStatements",
    summary: "List the statements of a source",
    description: "Filters: `id`, `state`, `fileName`, `sha256`, `uploadedAt`.",
    ...LIST,
    answer: ok.page("A page of statements, the newest first", StatementResponse, toStatementView),
    errors: [404],
    handle: async ({ params, context, ...request }) => {
      const page = toPage(`statements/${params.sourceID}`, request, "uploaded_at");
      return statementsOf(await actingOf(request.c, context), params.sourceID, page);
    },
  }),
  statements.get("/{sourceID}/statements/{statementID}", {
    operationId: "florinGetStatement",
    summary: "Read a statement with all its heads",
    answer: ok.data("The statement", StatementResponse, toStatementView),
    errors: [404],
    handle: async ({ params, context, c }) => statementOf(await actingOf(c, context), params),
  }),
  statements.get("/{sourceID}/statements/{statementID}/lines", {
    operationId: "florinListStatementLines",
    summary: "List the lines of a statement",
    description: "In the order of the file. There are none before the whole file was read.",
    query: PageParams,
    answer: ok.page("A page of lines", FileLineResponse, toLineView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const { settings } = deploymentOf(c);
      const page = toPageQuery(query, { list: `lines/${params.statementID}`, ...LINES }, settings);
      return linesOfStatement(await actingOf(c, context), params, page);
    },
  }),
  registerFile,
  statements.delete("/{sourceID}/statements/{statementID}", {
    operationId: "florinDeleteStatement",
    summary: "Delete a statement with its lines and its file",
    description:
      "The same content can be uploaded again. Refused where a matching has collected lines of it.",
    answer: ok.empty("Deleted"),
    errors: [404, 409],
    handle: async ({ params, context, c }) => deleteStatement(await actingOf(c, context), params),
  }),
);
