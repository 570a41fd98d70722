import type { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import { assertExportersServed, toWholeCursor } from "./exporters.ts";
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
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Pipelines"];

export function registerPipelines(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerPipeline(app);
  registerSwitch(app, {
    verb: "start",
    operationId: "v2StartPipeline",
    summary: "Start a pipeline that was stopped",
  });
  registerSwitch(app, {
    verb: "stop",
    operationId: "v2StopPipeline",
    summary: "Stop a pipeline, which keeps its position",
  });
  registerSwitch(app, {
    verb: "reset",
    operationId: "v2ResetPipeline",
    summary: "Reset a pipeline, which sends everything again from the beginning",
  });
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/pipelines",
      operationId: "v2ListPipelines",
      summary: "List the pipelines of a ledger",
      tags: TAGS,
      scope: "ledger:read",
      before: assertExportersServed,
      params: LedgerParams,
      responses: {
        200: json("All of them, oldest first", cursorOf(PipelineResponse)),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const pipelines = await PipelineService.from(c.var.context).list(params.ledger);
      const views = pipelines.map(toPipelineView);
      return { status: 200, body: toWholeCursor(views, PIPELINES_PER_LEDGER_MAX) };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/pipelines",
      operationId: "v2CreatePipeline",
      summary: "Send the log of a ledger to an exporter",
      tags: TAGS,
      scope: "ledger:write",
      before: assertExportersServed,
      params: LedgerParams,
      body: PipelineRequest,
      responses: {
        201: json("The pipeline, started", dataOf(PipelineResponse)),
        ...errors(404),
      },
    },
    async ({ params, body, c }) => {
      const way = { ledger: params.ledger, exporterId: body.exporterID };
      const pipeline = await PipelineService.from(c.var.context).create(way);
      const begun = { ...pipeline, progress: undefined, failure: undefined };
      return { status: 201, body: { data: toPipelineView(begun) } };
    },
  );
}

function registerPipeline(app: OpenAPIHono<AppEnv>): void {
  const shared = {
    path: "/v2/{ledger}/pipelines/{pipelineID}",
    tags: TAGS,
    before: assertExportersServed,
    params: PipelineParams,
  };
  endpoint(
    app,
    {
      ...shared,
      method: "get",
      operationId: "v2GetPipelineState",
      summary: "Read a pipeline",
      scope: "ledger:read",
      responses: { 200: json("The pipeline", dataOf(PipelineResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      const pipeline = await PipelineService.from(c.var.context).get(target);
      return { status: 200, body: { data: toPipelineView(pipeline) } };
    },
  );
  endpoint(
    app,
    {
      ...shared,
      method: "delete",
      operationId: "v2DeletePipeline",
      summary: "Delete a pipeline",
      scope: "ledger:write",
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      await PipelineService.from(c.var.context).remove(target);
      return { status: 204 };
    },
  );
}

interface Switch {
  readonly verb: "start" | "stop" | "reset";
  readonly operationId: string;
  readonly summary: string;
}

function registerSwitch(app: OpenAPIHono<AppEnv>, { verb, operationId, summary }: Switch): void {
  endpoint(
    app,
    {
      method: "post",
      path: `/v2/{ledger}/pipelines/{pipelineID}/${verb}`,
      operationId,
      summary,
      tags: TAGS,
      scope: "ledger:write",
      before: assertExportersServed,
      params: PipelineParams,
      responses: {
        202: empty("Done"),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      await PipelineService.from(c.var.context)[verb](target);
      return { status: 202 };
    },
  );
}

/** Florin's own routes of pipelines, below `/api/florin/v1`. */
export function registerPipelineStates(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/pipelines",
      operationId: "florinListPipelineStates",
      summary: "Show the state of the pipelines of a ledger",
      tags: TAGS,
      scope: "ledger:read",
      before: assertExportersServed,
      params: LedgerParams,
      responses: {
        200: json("All of them, oldest first", dataOf(z.array(PipelineStateResponse))),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const pipelines = await PipelineService.from(c.var.context).listMeasured(params.ledger);
      return { status: 200, body: { data: pipelines.map(toPipelineStateView) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/pipelines/{pipelineID}",
      operationId: "florinGetPipelineState",
      summary: "Show the state of a pipeline",
      tags: TAGS,
      scope: "ledger:read",
      before: assertExportersServed,
      params: PipelineParams,
      responses: { 200: json("Its state", dataOf(PipelineStateResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const target = { ledger: params.ledger, id: params.pipelineID };
      const pipeline = await PipelineService.from(c.var.context).getMeasured(target);
      return { status: 200, body: { data: toPipelineStateView(pipeline) } };
    },
  );
}
