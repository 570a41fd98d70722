/** The variables of an instance: texts by name. */
export type Variables = Readonly<Record<string, string>>;

const PLACEHOLDER = /\$\{([^}]+)\}/g;

/** Whether a text names a variable. */
export const hasPlaceholder = (text: string): boolean => /\$\{[^}]+\}/.test(text);

/** Replaces each `${name}` by the variable of that name, or by nothing where there is none. What is put in is not looked at again. */
export const interpolate = (text: string, variables: Variables): string =>
  text.replaceAll(PLACEHOLDER, (_match, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? "") : "",
  );
