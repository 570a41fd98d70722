/** The variables of an instance: texts by name. */
export type Variables = Readonly<Record<string, string>>;

const PLACEHOLDER = /\$\{([^}]+)\}/g;

/** Whether a text names a variable. */
export const hasPlaceholder = (text: string): boolean => /\$\{[^}]+\}/.test(text);

/** Replaces each `${name}` by the variable of that name, or by nothing where there is none. What is put in is not looked at again. */
export const interpolate = (text: string, variables: Variables): string =>
  text.replaceAll(PLACEHOLDER, (_match, name: string) => valueOf(variables, name));

/** How many characters the texts of a value have once the variables are put in, which may be more than fit into memory. */
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
