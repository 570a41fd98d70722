import type { FilterField, FilterValues } from "#console/parts/filters/filter-text.ts";
import { OPEN_CLASSES } from "#console/places/reconciliation/lines/classes.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { BreakFilter, BreakStatus } from "#console/places/reconciliation/queries/breaks.ts";

export const BREAK_STATUSES: readonly BreakStatus[] = ["open", "in_progress", "waiting"];

/** The filters of breaks. */
export function breakFields(): readonly FilterField[] {
  const { fields, side, class: classes, breakStatus } = matchingWords();
  return [
    {
      id: "class",
      label: fields.class,
      example: "amount",
      choices: OPEN_CLASSES.flatMap((name) =>
        name === "unclassified" ? [] : [{ value: name, label: classes[name] }],
      ),
    },
    {
      id: "side",
      label: fields.side,
      example: "left",
      choices: (["left", "right"] as const).map((value) => ({ value, label: side[value] })),
    },
    {
      id: "status",
      label: fields.status,
      example: "open",
      choices: BREAK_STATUSES.map((value) => ({ value, label: breakStatus[value] })),
    },
    { id: "assignee", label: fields.assignee, example: "Ada Lovelace" },
    { id: "asset", label: fields.asset, example: "EUR/2" },
    {
      id: "minDays",
      label: fields.minDays,
      example: "8",
      accepts: (text) => /^\d{1,6}$/.test(text),
    },
  ];
}

/** The filter of the API for the filters of the URL. */
export function breakFilterOf(values: FilterValues): BreakFilter {
  const { class: name, side, status, assignee, asset, minDays } = values;
  return {
    class: OPEN_CLASSES.find((each) => each === name && each !== "unclassified") as
      | BreakFilter["class"]
      | undefined, // Unclassified lines are no class of the API's filter.
    side: side === "left" || side === "right" ? side : undefined,
    status: BREAK_STATUSES.find((each) => each === status),
    assignee,
    asset,
    minDays: minDays !== undefined && /^\d{1,6}$/.test(minDays) ? Number(minDays) : undefined,
  };
}
