import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ExporterParams, ExporterRequest, ExporterResponse } from "./schemas.ts";
import { toExporterView } from "./views.ts";
import { EXPORTERS_MAX, ExporterService } from "#modules/exporters/services/exporter-service.ts";
import { exporterSettings } from "#modules/exporters/settings.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";

const TAGS = ["Exporters"];

/** Throws `NOT_FOUND` as for an unknown route if the deployment serves no exporters. */
export function assertExportersServed(c: Context<AppEnv>): void {
  if (exporterSettings.of(c.env).FLORIN_EXPORTERS) return;
  throw new AppError("NOT_FOUND", `no route ${c.req.path}`);
}

/** A cursor whose only page has the whole list. */
export const toWholeCursor = <T>(data: readonly T[], pageSize: number) =>
  toCursorView({ pageSize, hasMore: false, data });

export function registerExporters(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerExporter(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/_/exporters",
      operationId: "v2ListExporters",
      summary: "List exporters",
      tags: TAGS,
      scope: "ledger:read",
      before: assertExportersServed,
      responses: { 200: json("All of them, oldest first", cursorOf(ExporterResponse)) },
    },
    async ({ c }) => {
      const exporters = await ExporterService.from(c.var.context).list();
      return { status: 200, body: toWholeCursor(exporters.map(toExporterView), EXPORTERS_MAX) };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/_/exporters",
      operationId: "v2CreateExporter",
      summary: "Create an exporter",
      tags: TAGS,
      scope: "ledger:write",
      before: assertExportersServed,
      body: ExporterRequest,
      responses: { 201: json("The exporter", dataOf(ExporterResponse)) },
    },
    async ({ body, c }) => {
      const { driver = "", config } = body;
      const exporter = await ExporterService.from(c.var.context).create({ driver, config });
      return { status: 201, body: { data: toExporterView(exporter) } };
    },
  );
}

function registerExporter(app: OpenAPIHono<AppEnv>): void {
  const shared = {
    path: "/v2/_/exporters/{exporterID}",
    tags: TAGS,
    before: assertExportersServed,
    params: ExporterParams,
  };
  endpoint(
    app,
    {
      ...shared,
      method: "get",
      operationId: "v2GetExporterState",
      summary: "Read an exporter",
      scope: "ledger:read",
      responses: { 200: json("The exporter", dataOf(ExporterResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const exporter = await ExporterService.from(c.var.context).get(params.exporterID);
      return { status: 200, body: { data: toExporterView(exporter) } };
    },
  );
  endpoint(
    app,
    {
      ...shared,
      method: "put",
      operationId: "v2UpdateExporter",
      summary: "Replace an exporter",
      description:
        "The pipelines of the exporter continue with the new driver and config at their positions.",
      scope: "ledger:write",
      body: ExporterRequest,
      responses: { 204: empty("Replaced"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const { driver = "", config } = body;
      await ExporterService.from(c.var.context).update(params.exporterID, { driver, config });
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      ...shared,
      method: "delete",
      operationId: "v2DeleteExporter",
      summary: "Delete an exporter with its pipelines",
      scope: "ledger:write",
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await ExporterService.from(c.var.context).remove(params.exporterID);
      return { status: 204 };
    },
  );
}
