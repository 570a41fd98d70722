import type { z } from "@hono/zod-openapi";
import type { ExporterResponse, PipelineResponse, PipelineStateResponse } from "./schemas.ts";
import type { ShownExporter } from "#modules/exporters/services/exporter-service.ts";
import type {
  MeasuredPipeline,
  RunningPipeline,
} from "#modules/exporters/services/pipeline-service.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

type StateView = z.input<typeof PipelineStateResponse>;

export const toExporterView = (exporter: ShownExporter): z.input<typeof ExporterResponse> => ({
  driver: exporter.driver,
  config: exporter.config,
  id: exporter.id,
  createdAt: formatTimestamp(exporter.createdAt),
  ...(exporter.error === undefined ? {} : { error: exporter.error }),
});

export const toPipelineView = (pipeline: RunningPipeline): z.input<typeof PipelineResponse> => {
  const { progress, failure } = pipeline;
  return {
    ...toWayView(pipeline),
    ...(progress?.lastLogId === undefined ? {} : { lastLogID: progress.lastLogId }),
    ...(failure === undefined ? {} : { error: failure.message }),
  };
};

export function toPipelineStateView(pipeline: MeasuredPipeline): StateView {
  const { progress, logIds } = pipeline;
  const { lastLogId, deliveredAtMs, entries = 0, batches = 0 } = progress ?? {};
  return {
    ...toWayView(pipeline),
    state: stateOf(pipeline),
    ...(lastLogId === undefined ? {} : { lastLogID: lastLogId }),
    lag: lagOf(lastLogId, logIds),
    delivered: { entries, batches },
    ...(deliveredAtMs === undefined ? {} : { lastDeliveryAt: toTime(deliveredAtMs) }),
    ...toFailureView(pipeline),
  };
}

/** The distance from the last accepted entry to the last one of the log. It counts ids, some of which may be unused after the first one. */
function lagOf(lastLogId: number | undefined, logIds: MeasuredPipeline["logIds"]): number {
  if (logIds === undefined) return 0;
  return Math.max(0, logIds.last - (lastLogId ?? logIds.first - 1));
}

function toFailureView({ failure }: RunningPipeline): Pick<StateView, "lastError"> {
  if (failure === undefined) return {};
  const { message, lastMs, sinceMs, count } = failure;
  return {
    lastError: { message, date: toTime(lastMs), since: toTime(sinceMs), attempts: count },
  };
}

function stateOf({ enabled, progress, failure }: RunningPipeline): StateView["state"] {
  if (!enabled || progress?.isPaused === true) return "paused";
  if (failure !== undefined) return "failing";
  return progress?.lastLogId === undefined ? "ready" : "started";
}

const toWayView = ({ ledger, exporterId, createdAt, id, enabled }: RunningPipeline) => ({
  ledger,
  exporterID: exporterId,
  createdAt: formatTimestamp(createdAt),
  id,
  enabled,
});

const toTime = (ms: number): string => formatTimestamp(fromMillis(ms));
