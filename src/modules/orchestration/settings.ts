import { DeclaredSettings, integer, retention } from "#platform/settings.ts";

export const orchestrationSettings = new DeclaredSettings({
  FLORIN_TRIGGER_STEPS_PER_SECOND: integer(
    { least: 1000, most: 100_000_000 },
    {
      standard: "200000",
      meaning:
        "Steps a second for the expressions (filters and variables) of all triggers of one client and subject; unused steps are saved, up to five times this number",
    },
  ),
  FLORIN_TRIGGER_DEPTH: integer(
    { least: 1, most: 1000 },
    {
      standard: "16",
      meaning:
        "How many triggers, one after the other, may lead to an event; a trigger that fires for an event after more is stopped, because it is part of a loop",
    },
  ),
  FLORIN_ORCHESTRATION_RETENTION: retention({
    standard: "2160h",
    meaning: "How long ended instances with their history, and firings of triggers, are kept",
  }),
});
