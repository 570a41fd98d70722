import { z } from "@hono/zod-openapi";
import {
  SourcePatchRequest,
  SourceRequest,
  SourceResponse,
  toNewSource,
  toPatch,
  toSourceView,
} from "./source-schemas.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { LIST, listing } from "#modules/reconciliation/http/lists.ts";
import { uuidParam } from "#modules/reconciliation/http/path-ids.ts";
import { patchSource } from "#modules/reconciliation/sources/change.ts";
import { createSource } from "#modules/reconciliation/sources/create.ts";
import { deleteSource } from "#modules/reconciliation/sources/delete.ts";
import { listSources } from "#modules/reconciliation/sources/list.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

export const SourceParams = z.object({ sourceID: uuidParam() });

const sources = operations({
  path: "/reconciliation/sources",
  tags: ["Sources"],
  scope: "reconciliation",
  params: SourceParams,
});

export const registerSources = registration(
  sources.post("", {
    operationId: "florinCreateSource",
    summary: "Create a source of lines",
    description:
      "A `statement` gets its lines from uploaded files, `accounts` from postings of a ledger, `connector` and `pool` from payments. Whoever creates or reads a source may read its ledger or payments. What the source reads has to be there.",
    params: z.object({}),
    body: SourceRequest,
    answer: ok.created("The source", SourceResponse, toSourceView),
    handle: async ({ body, context, c }) =>
      createSource(await actingOf(c, context), toNewSource(body)),
  }),
  sources.get("", {
    operationId: "florinListSources",
    summary: "List sources",
    description:
      "Those of which the caller may read everything. Filters: `id`, `name`, `kind`, `createdAt`.",
    params: z.object({}),
    ...LIST,
    answer: ok.page("A page of sources, the newest first", SourceResponse, toSourceView),
    handle: listing("sources", listSources),
  }),
  sources.get("/{sourceID}", {
    operationId: "florinGetSource",
    summary: "Read a source",
    answer: ok.data("The source", SourceResponse, toSourceView),
    errors: [404],
    handle: async ({ params, context, c }) => sourceOf(await actingOf(c, context), params.sourceID),
  }),
  sources.patch("/{sourceID}", {
    operationId: "florinUpdateSource",
    summary: "Change a source",
    description:
      "A source of the kind `statement` may change how later files are read, and one of the kind `accounts` which metadata give references to later lines. What decides which lines there are does not change.",
    body: SourcePatchRequest,
    answer: ok.data("The source", SourceResponse, toSourceView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      patchSource(await actingOf(c, context), params.sourceID, toPatch(body)),
  }),
  sources.delete("/{sourceID}", {
    operationId: "florinDeleteSource",
    summary: "Delete a source with its statements",
    description: "Refused while a matching uses it.",
    answer: ok.empty("Deleted"),
    errors: [404, 409],
    handle: async ({ params, context, c }) =>
      deleteSource(await actingOf(c, context), params.sourceID),
  }),
);
