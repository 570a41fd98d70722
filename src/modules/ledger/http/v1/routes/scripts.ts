import type { OpenAPIHono } from "@hono/zod-openapi";
import { ledgerErrors } from "#ledger-engine";
import { replayHeaders } from "#modules/ledger/http/requests.ts";
import { RunScriptRequest, ScriptResponse, WriteQuery } from "#modules/ledger/http/v1/schemas.ts";
import { toTransactionV1View } from "#modules/ledger/http/v1/views.ts";
import { commit } from "#modules/ledger/http/v1/writes.ts";
import { LedgerParams, WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import type { ErrorStatus } from "#platform/errors.ts";
import { type AppEnv, endpoint, errors, json } from "#platform/http/index.ts";

/** Statuses of failures that this route answers with status 200. */
const TOLD_STATUSES: ReadonlySet<ErrorStatus> = new Set([400, 404, 409]);

export function registerScripts(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/{ledger}/script",
      operationId: "runScript",
      summary: "Commit a transaction from a script",
      description:
        "Prefer `createTransaction`. An error of the request, of its script or of the ledger is answered with status 200, too: `errorCode` then takes the place of `transaction`.",
      tags: ["Ledger API v1"],
      scope: "ledger:write",
      params: LedgerParams,
      query: WriteQuery,
      headers: WriteHeaders,
      body: RunScriptRequest,
      responses: {
        200: json("Committed, or refused with a code", ScriptResponse),
        ...errors(413),
      },
      // The official clients read a code only from an answer with status 200.
      failure: (error) => {
        if (!TOLD_STATUSES.has(ledgerErrors.statusOf(error.kind))) throw error;
        return { status: 200, body: ledgerErrors.toBody(error) };
      },
    },
    async ({ params: { ledger }, query: { preview }, headers, body, c }) => {
      const { plain, vars, reference, metadata } = body;
      const request = { script: { plain, vars }, reference, metadata };
      const { transaction, isReplay } = await commit({ c, ledger, headers, preview }, request);
      return {
        status: 200,
        body: { transaction: toTransactionV1View(transaction) },
        headers: replayHeaders(isReplay),
      };
    },
  );
}
