import { boolean, integer, period, DeclaredSettings } from "#platform/settings.ts";

export const exporterSettings = new DeclaredSettings({
  FLORIN_EXPORTERS: boolean({
    standard: "true",
    meaning: "Whether exporters and pipelines are served",
  }),
  FLORIN_PIPELINE_PULL_INTERVAL: period({
    standard: "5s",
    meaning: "How long a pipeline without new entries waits at first before it polls its ledger",
  }),
  FLORIN_PIPELINE_PUSH_RETRY_PERIOD: period({
    standard: "10s",
    meaning:
      "How long a pipeline waits after its first failure; the wait doubles up to six times the period",
  }),
  FLORIN_PIPELINE_SYNC_PERIOD: period({
    standard: "1m",
    meaning: "How long until a pipeline that has not received a change is called again",
  }),
  FLORIN_PIPELINE_PAGE_SIZE: integer(
    { least: 1, most: 1000 },
    { standard: "100", meaning: "Most log entries that a pipeline reads at a time" },
  ),
});
