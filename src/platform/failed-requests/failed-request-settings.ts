import { DeclaredSettings, integer, retention } from "#platform/settings.ts";

/** Settings of the list of failed requests: how many rows an isolate adds, and how many stay. */
export const failedRequestSettings = new DeclaredSettings({
  FLORIN_FAILED_REQUESTS_PER_PRINCIPAL: integer(
    { least: 1, most: 100 },
    {
      standard: "1",
      meaning:
        "Failed requests of one principal that an isolate stores in a second, and twenty times as many at first; others are counted",
    },
  ),
  FLORIN_FAILED_REQUESTS_TOTAL: integer(
    { least: 0, most: 100 },
    {
      standard: "10",
      meaning:
        "Failed requests that an isolate stores in a second, and ten times as many at first; others are counted; 0 stores none",
    },
  ),
  FLORIN_FAILED_REQUESTS_KEPT: integer(
    { least: 100, most: 1_000_000 },
    { standard: "100000", meaning: "Failed requests that are kept; the oldest make room" },
  ),
  FLORIN_FAILED_REQUESTS_RETENTION: retention({
    standard: "72h",
    meaning: "How long failed requests are kept",
  }),
});
