import type { ConnectorConfig, ConfigFields, ConfigRequest } from "./queries.ts";

/** The values of a form as it holds them: texts of inputs, and switches. */
export type FormValues = Readonly<Record<string, string | boolean>>;

/** A field of a configuration. */
export interface ConfigField {
  readonly name: string;
  readonly dataType: string;
  readonly required: boolean;
  readonly defaultValue: string;
  readonly isSecret: boolean;
}

/** The fields that every kind has, in their places: the name first, the polling period last. */
const FIRST = "name";
const LAST = "pollingPeriod";

/** The fields of a kind in the order of the form: what is required comes before what is not. */
export function fieldsIn(fields: ConfigFields): ConfigField[] {
  const all = Object.entries(fields).map(([name, { secret = false, ...field }]) => ({
    ...field,
    name,
    isSecret: secret,
  }));
  const rank = ({ name, required }: ConfigField): number =>
    name === FIRST ? 0 : name === LAST ? 3 : required ? 1 : 2;
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/** The name of a field for people: `apiKey` is `API key`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(" ")
    .map((word) => SHORT[word.toLowerCase()] ?? word.toLowerCase());
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const SHORT: Readonly<Record<string, string>> = { api: "API", id: "ID", url: "URL" };

/** Whether a value has several lines, such as a certificate. */
export const isLong = (name: string): boolean => /certificate|publickey/i.test(name);

/**
 * The configuration of a request. Inputs that are empty are left out; a secret that stays empty is the one of the former configuration,
 * because a change replaces all of it.
 */
export function toConfig(
  fields: readonly ConfigField[],
  values: FormValues,
  former: ConnectorConfig = {},
): ConfigRequest {
  const entries = fields.flatMap(({ name, dataType, isSecret }) => {
    const value = values[name] ?? "";
    if (typeof value === "boolean") return [[name, value] as const];
    const text = value.trim();
    if (text === "") {
      const kept = isSecret ? former[name] : undefined;
      return kept === undefined ? [] : [[name, kept] as const];
    }
    return [[name, dataType === "unsigned integer" ? Number(text) : text] as const];
  });
  return Object.fromEntries(entries) as ConfigRequest; // The members are those of the kind.
}

/** The values of a form for a configuration. Secrets stay out of it. */
export const toFormValues = (fields: readonly ConfigField[], config: ConnectorConfig): FormValues =>
  Object.fromEntries(
    fields.flatMap(({ name, dataType, isSecret }) => {
      const value = config[name];
      if (isSecret || value === undefined) return [];
      return [[name, dataType === "boolean" ? value === true : String(value)] as const];
    }),
  );

/** The values without those of secrets, for a draft. */
export const withoutSecrets = (fields: readonly ConfigField[], values: FormValues): FormValues =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => !fields.some((field) => field.name === name && field.isSecret),
    ),
  );
