import { DeclaredSettings, integer } from "#platform/settings.ts";

/** Settings of the counts of requests. */
export const trafficSettings = new DeclaredSettings({
  FLORIN_ANALYTICS_ONE_IN: integer(
    { least: 1, most: 100_000 },
    {
      standard: "1",
      meaning:
        "Of how many requests one is written to Workers Analytics Engine, where the dataset `FLORIN_ANALYTICS` is bound; each data point says for how many requests it stands",
    },
  ),
});
