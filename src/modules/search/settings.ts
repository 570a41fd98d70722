import { choice, DeclaredSettings } from "#platform/settings.ts";

export const searchSettings = new DeclaredSettings({
  FLORIN_SEARCH: choice(["on", "off"], {
    standard: "on",
    meaning:
      "Whether the search is served and its index follows what happens. If it is off, nothing is written to the index; when it is on again, the index catches up",
  }),
});
