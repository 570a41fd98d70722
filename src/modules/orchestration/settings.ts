import { DeclaredSettings, integer, retention } from "#platform/settings.ts";

export const orchestrationSettings = new DeclaredSettings({
  FLORIN_TRIGGER_STEPS_PER_SECOND: integer(
    { least: 1000, most: 100_000_000 },
    {
      standard: "200000",
      meaning:
        "Steps that the expressions of all triggers of one client and subject, filters and variables, take in a second; five times as many are saved up",
    },
  ),
  FLORIN_TRIGGER_DEPTH: integer(
    { least: 1, most: 1000 },
    {
      standard: "16",
      meaning:
        "How many triggers, one after the other, may lead to each other; the trigger that would be one more is stopped, as it is part of a loop",
    },
  ),
  FLORIN_ORCHESTRATION_RETENTION: retention({
    standard: "2160h",
    meaning:
      "How long instances that have ended are kept, with their history, and firings of triggers",
  }),
});
