import { assertExportersServed, toWholePage } from "./exporters.ts";
import {
  PipelineParams,
  PipelineRequest,
  PipelineResponse,
  PipelineStateResponse,
} from "./schemas.ts";
import { LedgerParams } from "./schemas.ts";
import { toPipelineStateView, toPipelineView } from "./views.ts";
import {
  PIPELINES_PER_LEDGER_MAX,
  PipelineService,
} from "#modules/exporters/services/pipeline-service.ts";
import { ok, operations, registration, type Registration } from "#platform/http/index.ts";

const pipelines = operations({
  tags: ["Pipelines"],
  scope: "ledger",
  before: assertExportersServed,
});

interface Switch {
  readonly verb: "start" | "stop" | "reset";
  readonly operationId: string;
  readonly summary: string;
}

const switchPipeline = ({ verb, operationId, summary }: Switch): Registration =>
  pipelines.post(`/v2/{ledger}/pipelines/{pipelineID}/${verb}`, {
    operationId,
    summary,
    params: PipelineParams,
    answer: ok.empty("Done", 202),
    errors: [404],
    handle: async ({ params, context }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      await PipelineService.from(context)[verb](target);
    },
  });

export const registerPipelines = registration(
  pipelines.get("/v2/{ledger}/pipelines", {
    operationId: "v2ListPipelines",
    summary: "List the pipelines of a ledger",
    params: LedgerParams,
    answer: ok.page("All of them, oldest first", PipelineResponse, toPipelineView),
    errors: [404],
    handle: async ({ params, context }) => {
      const pipelines = await PipelineService.from(context).list(params.ledger);
      return toWholePage(pipelines, PIPELINES_PER_LEDGER_MAX);
    },
  }),
  pipelines.post("/v2/{ledger}/pipelines", {
    operationId: "v2CreatePipeline",
    summary: "Send the log of a ledger to an exporter",
    params: LedgerParams,
    body: PipelineRequest,
    answer: ok.created("The pipeline, started", PipelineResponse, toPipelineView),
    errors: [404],
    handle: async ({ params, body, context }) => {
      const way = { ledger: params.ledger, exporterId: body.exporterID };
      const pipeline = await PipelineService.from(context).create(way);
      return { ...pipeline, progress: undefined, failure: undefined };
    },
  }),
  pipelines.get("/v2/{ledger}/pipelines/{pipelineID}", {
    operationId: "v2GetPipelineState",
    summary: "Read a pipeline",
    params: PipelineParams,
    answer: ok.data("The pipeline", PipelineResponse, toPipelineView),
    errors: [404],
    handle: ({ params, context }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      return PipelineService.from(context).get(target);
    },
  }),
  pipelines.delete("/v2/{ledger}/pipelines/{pipelineID}", {
    operationId: "v2DeletePipeline",
    summary: "Delete a pipeline",
    params: PipelineParams,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: async ({ params, context }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      await PipelineService.from(context).remove(target);
    },
  }),
  switchPipeline({
    verb: "start",
    operationId: "v2StartPipeline",
    summary: "Start a pipeline that was stopped",
  }),
  switchPipeline({
    verb: "stop",
    operationId: "v2StopPipeline",
    summary: "Stop a pipeline, which keeps its position",
  }),
  switchPipeline({
    verb: "reset",
    operationId: "v2ResetPipeline",
    summary: "Reset a pipeline, which sends everything again from the beginning",
  }),
);

/** Florin's own routes of pipelines, below `/api/florin/v1`. */
export const registerPipelineStates = registration(
  pipelines.get("/ledgers/{ledger}/pipelines", {
    operationId: "florinListPipelineStates",
    summary: "Show the state of the pipelines of a ledger",
    params: LedgerParams,
    answer: ok.list("All of them, oldest first", PipelineStateResponse, toPipelineStateView),
    errors: [404],
    handle: ({ params, context }) => PipelineService.from(context).listMeasured(params.ledger),
  }),
  pipelines.get("/ledgers/{ledger}/pipelines/{pipelineID}", {
    operationId: "florinGetPipelineState",
    summary: "Show the state of a pipeline",
    params: PipelineParams,
    answer: ok.data("Its state", PipelineStateResponse, toPipelineStateView),
    errors: [404],
    handle: ({ params, context }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      return PipelineService.from(context).getMeasured(target);
    },
  }),
);
