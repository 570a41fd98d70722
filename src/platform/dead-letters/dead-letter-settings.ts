import { DeclaredSettings, integer, retention } from "#platform/settings.ts";

/** Settings of the messages that a queue has given up. */
export const deadLetterSettings = new DeclaredSettings({
  FLORIN_DEAD_LETTERS_KEPT: integer(
    { least: 100, most: 10_000 },
    {
      standard: "10000",
      meaning:
        "Dead letters that are kept; those that were sent again make room, and further messages wait in their queue",
    },
  ),
  FLORIN_DEAD_LETTERS_RETENTION: retention({
    standard: "720h",
    meaning: "How long dead letters are kept after they came last",
  }),
});
