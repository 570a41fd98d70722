import type { Context } from "hono";
import { ExporterParams, ExporterRequest, ExporterResponse } from "./schemas.ts";
import { toExporterView } from "./views.ts";
import { EXPORTERS_MAX, ExporterService } from "#modules/exporters/services/exporter-service.ts";
import { exporterSettings } from "#modules/exporters/settings.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, ok, operations, registration } from "#platform/http/index.ts";
import type { Page } from "#platform/paging/pagination.ts";

const exporters = operations({
  path: "/v2/_/exporters",
  tags: ["Exporters"],
  scope: "ledger",
  before: assertExportersServed,
});

/** Throws `NOT_FOUND` as for an unknown route if the deployment serves no exporters. */
export function assertExportersServed(c: Context<AppEnv>): void {
  if (exporterSettings.of(c.env).FLORIN_EXPORTERS) return;
  throw new AppError("NOT_FOUND", `no route ${c.req.path}`);
}

/** A page that has the whole list. */
export const toWholePage = <T>(data: readonly T[], pageSize: number): Page<T> => ({
  pageSize,
  hasMore: false,
  data,
});

export const registerExporters = registration(
  exporters.get("", {
    operationId: "v2ListExporters",
    summary: "List exporters",
    answer: ok.page("All of them, oldest first", ExporterResponse, toExporterView),
    handle: async ({ context }) =>
      toWholePage(await ExporterService.from(context).list(), EXPORTERS_MAX),
  }),
  exporters.post("", {
    operationId: "v2CreateExporter",
    summary: "Create an exporter",
    body: ExporterRequest,
    answer: ok.created("The exporter", ExporterResponse, toExporterView),
    handle: ({ body, context }) => {
      const { driver = "", config } = body;
      return ExporterService.from(context).create({ driver, config });
    },
  }),
  exporters.get("/{exporterID}", {
    operationId: "v2GetExporterState",
    summary: "Read an exporter",
    params: ExporterParams,
    answer: ok.data("The exporter", ExporterResponse, toExporterView),
    errors: [404],
    handle: ({ params, context }) => ExporterService.from(context).get(params.exporterID),
  }),
  exporters.put("/{exporterID}", {
    operationId: "v2UpdateExporter",
    summary: "Replace an exporter",
    description:
      "The pipelines of the exporter continue with the new driver and config at their positions.",
    params: ExporterParams,
    body: ExporterRequest,
    answer: ok.empty("Replaced"),
    errors: [404],
    handle: async ({ params, body, context }) => {
      const { driver = "", config } = body;
      await ExporterService.from(context).update(params.exporterID, { driver, config });
    },
  }),
  exporters.delete("/{exporterID}", {
    operationId: "v2DeleteExporter",
    summary: "Delete an exporter with its pipelines",
    params: ExporterParams,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: ({ params, context }) => ExporterService.from(context).remove(params.exporterID),
  }),
);
