import { DeclaredSettings, retention } from "#platform/settings.ts";

export const orchestrationSettings = new DeclaredSettings({
  FLORIN_ORCHESTRATION_RETENTION: retention({
    standard: "2160h",
    meaning:
      "How long instances that have ended are kept, with their history, and firings of triggers",
  }),
});
