import { ConfigError, type ExporterConfig } from "./config.ts";

type Kind = "array" | "bool" | "null" | "number" | "object" | "string";
type Fields = ExporterConfig;

/** A text of a config; undefined where it is absent or null. */
export function textField(config: Fields, path: string): string | undefined {
  const value = fieldOf(config, path);
  if (value === undefined || typeof value === "string") return value;
  throw mistyped(path, value, "string");
}

/** An integer of a config that JavaScript can count with; undefined where it is absent or null. */
export function integerField(config: Fields, path: string): number | undefined {
  const value = fieldOf(config, path);
  if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined; // the check says so
  throw mistyped(path, value, "int");
}

export function booleanField(config: Fields, path: string): boolean | undefined {
  const value = fieldOf(config, path);
  if (value === undefined || typeof value === "boolean") return value;
  throw mistyped(path, value, "bool");
}

/** An object in a config; empty where it is absent or null. */
export function objectField(config: Fields, path: string): Fields {
  const value = fieldOf(config, path);
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw mistyped(path, value, "object");
}

/** Refuses unknown fields, so that a misspelt field does not seem to be a setting. `under` is a path, or empty. */
export function assertKnown(fields: Fields, names: readonly string[], under = ""): void {
  for (const name of Object.keys(fields)) {
    if (names.includes(name)) continue;
    const path = under === "" ? name : `${under}.${name}`;
    throw new ConfigError(path, `unknown field '${path}'`);
  }
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of the last name of a path, in the object that contains it. */
function fieldOf(config: Fields, path: string): unknown {
  const name = path.slice(path.lastIndexOf(".") + 1);
  return Object.hasOwn(config, name) ? (config[name] ?? undefined) : undefined;
}

/** The error for a field of another type, in the words of the reference. */
const mistyped = (path: string, value: unknown, wanted: string): ConfigError =>
  new ConfigError(
    path,
    `json: cannot unmarshal ${kindOf(value)} into Go struct field Config.${path} of type ${wanted}`,
    "malformed",
  );

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return typeof value === "object" ? "object" : "number";
}
