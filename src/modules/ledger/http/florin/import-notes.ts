import type { OpenAPIHono } from "@hono/zod-openapi";
import { ImportNoteResponse, toImportNoteView } from "#modules/ledger/http/import-notes.ts";
import { rulesOf } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { ListParams, toPageQuery } from "#platform/http/listing.ts";
import { cursorOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

export function registerImportNotes(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/import-notes",
      operationId: "florinListImportNotes",
      summary: "List what is odd about imported entries",
      description:
        "An import takes entries of Formance Ledger v2 as they are, hash for hash: with addresses and references of at most 8,192 characters, metadata of 400,000 bytes, 20,000 postings, and transactions of 1.4 MB with their volumes. Those that a write of this server would refuse are listed here, by the ids of the entries, each with the reasons. `sort` may be `id:asc`, which is the default, or `id:desc`.",
      tags: ["Logs"],
      scope: "ledger:read",
      params: LedgerParams,
      query: ListParams,
      responses: {
        200: json("A page of notes", cursorOf(ImportNoteResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, c }) => {
      const { ledger } = params;
      const rules = rulesOf(ledger, "importNotes");
      const wanted = toPageQuery(query, rules, deploymentOf(c).settings);
      const page = await LedgerService.from(c.get("context")).listImportNotes(ledger, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toImportNoteView)) };
    },
  );
}
