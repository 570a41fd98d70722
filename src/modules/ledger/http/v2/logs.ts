import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { wakePipelinesOf } from "#modules/exporters/index.ts";
import { AnswerClient } from "#modules/ledger/answers/answer-client.ts";
import {
  IMPORT_NOTES_HEADER,
  ImportNotesHeader,
  noteHeaders,
} from "#modules/ledger/http/import-notes.ts";
import { pageRead, toLogQuery } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import {
  FilterBody,
  LedgerParams,
  LogListQuery,
  LogResponse,
} from "#modules/ledger/wire/schemas.ts";
import {
  elementPace,
  type AppEnv,
  Chunks,
  cursorOf,
  deploymentOf,
  empty,
  endpoint,
  errors,
  json,
  texts,
} from "#platform/http/index.ts";
import type { JsonText } from "#platform/json.ts";

const TAGS = ["Logs"];
const LogPage = cursorOf(LogResponse);

export function registerLogs(app: OpenAPIHono<AppEnv>): void {
  registerList(app);
  registerExport(app);
  registerImport(app);
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/logs",
      operationId: "v2ListLogs",
      summary: "List log entries, newest first",
      description:
        "Each entry shows volumes as they were when it was written. `pit` and `oot` change nothing.",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: LogListQuery,
      body: FilterBody,
      bigintAsString: true,
      responses: { 200: json("A page of log entries", LogPage), ...errors(404) },
    },
    async ({ params, query, body, context, c }) => {
      const { ledger } = params;
      const { settings } = deploymentOf(c);
      const request = pageRead(c, body, () => toLogQuery({ ledger, query, body, settings }));
      const written = await AnswerClient.from(context).logs(ledger, request);
      // The entries of the written page have the members that `toLogView` shows.
      return { status: 200, written: written as JsonText<z.input<typeof LogPage>> };
    },
  );
}

function registerExport(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/logs/export",
      operationId: "v2ExportLogs",
      work: "export",
      summary: "Export the log",
      description:
        "The answer has the entries that exist at its start, oldest first, each on one line in the form of the list. It is written while the client reads it, and is cut off at an entry that cannot be read. A ledger has at most ten exports under way; one more is answered with 429.",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      responses: {
        200: texts("One entry on each line, as JSON", "application/octet-stream"),
        ...errors(404),
      },
    },
    ({ params, context }) => ({
      status: 200,
      texts: LedgerService.from(context).exportLogs(params.ledger),
    }),
  );
}

function registerImport(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/logs/import",
      operationId: "v2ImportLogs",
      work: "import",
      summary: "Import a log",
      description:
        "Exported entries are stored in a ledger that has no writes of its own. They are stored while they arrive: if one is refused, those before it stay, and another request may continue after them. A ledger takes one import at a time: until it ends, or has sent nothing for five seconds, other imports and writes are answered with 503. Entries that Formance Ledger v2 can write and a write of this server would refuse are imported as they are; the header `X-Florin-Import-Notes` tells of the first of them, and `GET /api/florin/v1/ledgers/{ledger}/import-notes` of all.",
      tags: TAGS,
      scope: "ledger:write",
      params: LedgerParams,
      body: Chunks,
      bodyKind: "chunks",
      responses: {
        204: {
          ...empty("Imported"),
          headers: z.object({ [IMPORT_NOTES_HEADER]: ImportNotesHeader }),
        },
        ...errors(404),
      },
    },
    async ({ params, body, context, c }) => {
      try {
        const service = LedgerService.from(context);
        const noted = await service.importLogs(params.ledger, body, elementPace(c));
        return { status: 204, headers: noteHeaders(noted) };
      } finally {
        // Imported entries publish no events, so that the pipelines are woken here.
        await wakePipelinesOf(context, params.ledger);
      }
    },
  );
}
