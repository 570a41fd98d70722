import { boolean, DeclaredSettings, retention } from "#platform/settings.ts";

export const reconciliationSettings = new DeclaredSettings({
  FLORIN_RECONCILIATION_FOUR_EYES: boolean({
    standard: "false",
    meaning:
      "`true`: a write-off of a break, or a correction by a script of one's own, is asked for by a person who has logged in, and booked when another person has confirmed it",
  }),
  FLORIN_RECONCILIATION_RETENTION: retention({
    standard: "8760h",
    meaning:
      "How long reconciliations of policies, failed evaluations of rules, and alerts with their events are kept that are resolved, or whose day, week or month is over",
  }),
  FLORIN_RECONCILIATION_RETENTION_PASSED: retention({
    standard: "720h",
    meaning:
      "How long evaluations of rules that passed, and failures in histories of alerts that were not published, are kept",
  }),
});
