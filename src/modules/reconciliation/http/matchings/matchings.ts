import { z } from "@hono/zod-openapi";
import {
  MatchingPatchRequest,
  MatchingRequest,
  MatchingResponse,
  RunResponse,
  toMatchingChange,
  toMatchingView,
  toNewMatching,
  toRunView,
} from "./matching-schemas.ts";
import { PassResponse, toPassView } from "./pass-schemas.ts";
import { DEFAULT_PASSES } from "#modules/reconciliation/core/matching/default-passes.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { LIST, listing, PageParams, toPage } from "#modules/reconciliation/http/lists.ts";
import { uuidParam } from "#modules/reconciliation/http/path-ids.ts";
import { deleteMatching, patchMatching } from "#modules/reconciliation/matchings/change.ts";
import { createMatching } from "#modules/reconciliation/matchings/create.ts";
import { listMatchings } from "#modules/reconciliation/matchings/list.ts";
import { getRun, listRuns, startRun } from "#modules/reconciliation/matchings/runs.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const matchings = operations({
  path: "/reconciliation/matchings",
  tags: ["Matchings"],
  scope: "reconciliation",
});
export const MatchingParams = z.object({ matchingID: uuidParam() });

/** A number in a path: of a run, a group or a line. */
export const numberParam = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "expected a number from 1 on")
    .transform(Number)
    .openapi({ type: "integer", minimum: 1 });

const RunParams = MatchingParams.extend({ runID: numberParam() });

export const registerMatchings = registration(
  matchings.post("", {
    operationId: "florinCreateMatching",
    summary: "Create a matching of two sources",
    description:
      "Whoever creates, changes, runs or reads a matching may read the ledgers and payments of its sources. The answer to the first run fills it.",
    body: MatchingRequest,
    answer: ok.created("The matching", MatchingResponse, toMatchingView),
    errors: [404, 409],
    handle: async ({ body, context, c }) =>
      createMatching(await actingOf(c, context), toNewMatching(body)),
  }),
  matchings.get("", {
    operationId: "florinListMatchings",
    summary: "List matchings",
    description:
      "Filters: `id`, `name`, `leftSourceID`, `rightSourceID`, `createdAt` and `updatedAt`.",
    ...LIST,
    answer: ok.page("A page of matchings, the newest first", MatchingResponse, toMatchingView),
    handle: listing("matchings", listMatchings),
  }),
  matchings.get("/default-passes", {
    operationId: "florinReadDefaultPasses",
    summary: "Read the passes of a matching that names none",
    answer: ok.list("The passes, in their order", PassResponse, toPassView),
    handle: () => DEFAULT_PASSES,
  }),
  matchings.get("/{matchingID}", {
    operationId: "florinReadMatching",
    summary: "Read a matching",
    params: MatchingParams,
    answer: ok.data("The matching", MatchingResponse, toMatchingView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getMatching(await actingOf(c, context), params.matchingID),
  }),
  matchings.patch("/{matchingID}", {
    operationId: "florinChangeMatching",
    summary: "Change a matching",
    description:
      "Absent fields stay as they are; passes are replaced as a whole. The next run matches by the change, what is open only: matches stay.",
    params: MatchingParams,
    body: MatchingPatchRequest,
    answer: ok.data("The matching", MatchingResponse, toMatchingView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      patchMatching(await actingOf(c, context), params.matchingID, toMatchingChange(body)),
  }),
  matchings.delete("/{matchingID}", {
    operationId: "florinDeleteMatching",
    summary: "Delete a matching with its lines, groups and runs",
    params: MatchingParams,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: async ({ params, context, c }) =>
      deleteMatching(await actingOf(c, context), params.matchingID),
  }),
  matchings.post("/{matchingID}/runs", {
    operationId: "florinStartMatchingRun",
    summary: "Run a matching",
    description:
      "The run collects what is new in both sources, and then matches what is open. It works by itself, with the rights that the caller has while it reads the sources.",
    params: MatchingParams,
    answer: ok.accepted("The run that has begun", RunResponse, toRunView),
    errors: [404, 409],
    handle: async ({ params, context, c }) =>
      startRun(await actingOf(c, context), params.matchingID),
  }),
  matchings.get("/{matchingID}/runs", {
    operationId: "florinListMatchingRuns",
    summary: "List the runs of a matching",
    params: MatchingParams,
    query: PageParams,
    answer: ok.page("A page of runs, the newest first", RunResponse, toRunView),
    errors: [404],
    handle: async ({ params, query, context, c }) =>
      listRuns(
        await actingOf(c, context),
        params.matchingID,
        toPage("matching-runs", { query, c }, "number"),
      ),
  }),
  matchings.get("/{matchingID}/runs/{runID}", {
    operationId: "florinReadMatchingRun",
    summary: "Read a run, with what it has done so far",
    params: RunParams,
    answer: ok.data("The run", RunResponse, toRunView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getRun(await actingOf(c, context), params.matchingID, params.runID),
  }),
);
