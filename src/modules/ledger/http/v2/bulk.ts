import type { OpenAPIHono } from "@hono/zod-openapi";
import { parseBulk, toBulkElement } from "#ledger-engine";
import { AnswerClient } from "#modules/ledger/answers/answer-client.ts";
import type { WrittenBulk } from "#modules/ledger/answers/bulk-body.ts";
import { toStreamAnswer } from "#modules/ledger/bulk/bulk-answer.ts";
import { readElements, type StreamFormat } from "#modules/ledger/bulk/elements.ts";
import { paced } from "#modules/ledger/bulk/paced.ts";
import { TRANSACTION_FIELDS } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import {
  BulkJsonStream,
  BulkQuery,
  BulkRequest,
  BulkResponse,
  BulkScriptStream,
} from "#modules/ledger/wire/bulk-schemas.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { contentTypeOf } from "#platform/http/body.ts";
import {
  type AppEnv,
  elementPace,
  endpoint,
  errors,
  json,
  takeElements,
} from "#platform/http/index.ts";

/** Largest bulk body, in bytes. */
const BULK_BYTES_MAX = 8 * 1024 * 1024;

const JSON_STREAM = "application/vnd.formance.ledger.api.v2.bulk+json-stream";
const SCRIPT_STREAM = "application/vnd.formance.ledger.api.v2.bulk+script-stream";
const FORMATS: ReadonlyMap<string, StreamFormat> = new Map([
  [JSON_STREAM, "json"],
  [SCRIPT_STREAM, "script"],
]);

export function registerBulk(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/_bulk",
      operationId: "v2CreateBulk",
      summary: "Execute many changes in one request",
      description:
        "Results are in the order of the elements. With `atomic`, all elements are stored or none. Without it, each element is stored on its own, and the first failure ends the bulk unless `continueOnFailure` is set. `parallel` is accepted and changes nothing, because a ledger has one writer. The content type selects the format. A stream is executed while it arrives: if it breaks off and is not atomic, the elements before the break are stored, and their results are in `data`.",
      tags: ["Transactions"],
      scope: "ledger:write",
      params: LedgerParams,
      query: BulkQuery,
      body: BulkRequest,
      bodyBytesMax: BULK_BYTES_MAX,
      recordedFields: ["action", ...TRANSACTION_FIELDS.map((name) => `data.${name}`)],
      streams: {
        contentTypes: { [JSON_STREAM]: BulkJsonStream, [SCRIPT_STREAM]: BulkScriptStream },
        handler: async ({ params, query, contentType, chunks, c }) => {
          assertOptions(query);
          const service = LedgerService.from(c.get("context"));
          const elements = paced(
            readElements(chunks, FORMATS.get(contentType) ?? "json"),
            elementPace(c),
          );
          const outcome = await service.executeStream(params.ledger, elements, query);
          return toStreamAnswer(outcome, (logIds) => service.readCommitted(params.ledger, logIds));
        },
      },
      before: (c) => assertFormat(contentTypeOf(c.req.raw)),
      responses: {
        200: json("All succeeded", BulkResponse),
        400: json("At least one failed, or the request is refused", BulkResponse),
        ...errors(404, 412),
      },
    },
    // An async function would hold the elements in memory until the ledger has answered.
    ({ params, query, body, context, c }) => {
      assertOptions(query);
      const settings = ledgerSettings.of(c.env);
      const toElements = () => parseBulk(body ?? []).map(toBulkElement);
      const execute = () =>
        AnswerClient.from(context)
          .bulk(params.ledger, toElements, { ...query, settings, amounts: "integer" })
          .then(toAnswer);
      return takeElements(c, body?.length ?? 0)?.then(execute) ?? execute();
    },
  );
}

const toAnswer = ({ body: written, isDone }: WrittenBulk) =>
  isDone ? ({ status: 200, written } as const) : ({ status: 400, written } as const);

function assertOptions({ atomic, parallel }: { atomic: boolean; parallel: boolean }): void {
  if (atomic && parallel) {
    throw new AppError("EXCLUSIVE_OPTIONS", "atomic and parallel options are mutually exclusive");
  }
}

function assertFormat(contentType: string): void {
  if (["", "application/json"].includes(contentType) || FORMATS.has(contentType)) return;
  throw new AppError("VALIDATION", `unsupported content type: ${contentType}`);
}
