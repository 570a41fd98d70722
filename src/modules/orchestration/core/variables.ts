/** The variables of an instance: texts by name. */
export type Variables = Readonly<Record<string, string>>;

const PLACEHOLDER = /\$\{([^}]+)\}/g;

export const hasPlaceholder = (text: string): boolean => /\$\{[^}]+\}/.test(text);

/**
 * Replaces each `${name}` by the variable of this name, or by nothing where there is none. Placeholders in values of variables stay as they
 * are.
 */
export const interpolate = (text: string, variables: Variables): string =>
  text.replaceAll(PLACEHOLDER, (_match, name: string) => valueOf(variables, name));

/**
 * The number of characters in the keys and texts of a value once variables are put in, computed without building the texts, which may be
 * larger than the memory.
 */
export function lengthWith(value: unknown, variables: Variables): number {
  if (typeof value === "string") {
    return value
      .matchAll(PLACEHOLDER)
      .reduce(
        (sum, [placeholder, name = ""]) =>
          sum - placeholder.length + valueOf(variables, name).length,
        value.length,
      );
  }
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + key.length + lengthWith(item, variables),
    0,
  );
}

const valueOf = (variables: Variables, name: string): string =>
  Object.hasOwn(variables, name) ? (variables[name] ?? "") : "";
