/** A property by which a list is filtered. */
export interface FilterField {
  /** The name in the URL and in typed filters: `account`. */
  readonly id: string;
  readonly label: string;
  /** An example of a value, for the person who types. */
  readonly example: string;
  /** Values to choose from. */
  readonly choices?: readonly FilterChoice[];
  /** Whether a typed value may be sent to the server. */
  readonly accepts?: (value: string) => boolean;
}

export interface FilterChoice {
  readonly value: string;
  readonly label: string;
}

/** The values of filters by the ids of their fields. */
export type FilterValues = Readonly<Record<string, string>>;

/** A line of the menu below the input: a field to go on with, or a whole filter to apply. */
export type Suggestion =
  | { readonly kind: "field"; readonly field: FilterField; readonly text: string }
  | {
      readonly kind: "value";
      readonly field: FilterField;
      readonly text: string;
      readonly value: string;
      readonly label: string;
    };

/** The suggestions for a typed text: fields that begin like it or, behind `account:`, values of the field. */
export function suggestionsFor(text: string, fields: readonly FilterField[]): Suggestion[] {
  const cut = text.indexOf(":");
  const typedField = (cut === -1 ? text : text.slice(0, cut)).trim().toLowerCase();
  const named =
    cut === -1
      ? undefined
      : fields.find(({ id, label }) => [id, label.toLowerCase()].includes(typedField));
  if (named === undefined) {
    return fields
      .filter(
        ({ id, label }) => id.startsWith(typedField) || label.toLowerCase().startsWith(typedField),
      )
      .map((field) => ({ kind: "field", field, text: `${field.id}:` }));
  }
  const value = text.slice(cut + 1).trim();
  return valuesOf(named, value);
}

function valuesOf(field: FilterField, typed: string): Suggestion[] {
  const { id, choices = [], accepts = () => true } = field;
  const chosen = choices.filter(({ value, label }) =>
    [value, label].some((text) => text.toLowerCase().startsWith(typed.toLowerCase())),
  );
  const own = typed !== "" && accepts(typed) && !choices.some(({ value }) => value === typed);
  return [
    ...(own && (choices.length === 0 || field.accepts !== undefined)
      ? [{ value: typed, label: typed }]
      : []),
    ...chosen,
  ].map(({ value, label }) => ({ kind: "value", field, text: `${id}:${value}`, value, label }));
}

/** The filters of a list, as its URL has them; other search parameters are left out. */
export function valuesIn(
  search: Readonly<Record<string, unknown>>,
  fields: readonly FilterField[],
): FilterValues {
  const found = fields.flatMap(({ id }) => {
    const value = search[id];
    return typeof value === "string" && value !== "" ? [[id, value] as const] : [];
  });
  return Object.fromEntries(found);
}
