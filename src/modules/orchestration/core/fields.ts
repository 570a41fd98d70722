import { WorkflowConfigError } from "./config-error.ts";
import { parseSignedDurationMs } from "./go-duration.ts";
import { hasPlaceholder, interpolate, type Variables } from "./variables.ts";
import { decimalSource } from "#platform/json.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

type Path = readonly (string | number)[];

/** A field of an object: its key, and its name in error messages. */
export type FieldName = readonly [key: string, name: string];

const INTEGER = /^[+-]?\d+$/;
/** Longest integer that is read, in digits. */
const INTEGER_DIGITS_MAX = 2000;

/**
 * Reads the fields of a stage, each by the type that the field must have, and replaces variables by their values. Without variables, only
 * the types are checked, and a text that names a variable passes for a value of any type. Throws `WorkflowConfigError`.
 */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #path: Path;
  readonly #names: readonly string[];
  readonly #variables: Variables | undefined;

  constructor(
    object: Readonly<Record<string, unknown>>,
    at: { readonly path: Path; readonly names?: readonly string[] },
    variables: Variables | undefined,
  ) {
    this.#object = object;
    this.#path = at.path;
    this.#names = at.names ?? [];
    this.#variables = variables;
  }

  /** A text, or the standard value where the field is absent or empty. */
  text(field: FieldName, standard = ""): string {
    const text = this.optionalText(field) ?? "";
    return text === "" ? standard : text;
  }

  /** A text, which may be empty; undefined where the field is absent. */
  optionalText(field: FieldName): string | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    return typeof value === "string"
      ? this.#put(value)
      : this.#fail(field, `expected string but was ${typeName(value)}`);
  }

  /** An integer of any size, given as a number or a text; undefined where the field is absent or empty. */
  integer(field: FieldName): bigint | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    if (typeof value === "bigint" || typeof value === "number") return BigInt(value);
    if (typeof value === "symbol") return this.#notInteger(field, decimalSource(value));
    if (typeof value !== "string") {
      return this.#fail(
        field,
        `expected big int or interpolated string but was ${typeName(value)}`,
      );
    }
    if (this.#isOpen(value)) return undefined;
    const text = this.#put(value);
    if (text === "") return undefined;
    if (!INTEGER.test(text) || text.length > INTEGER_DIGITS_MAX) {
      return this.#notInteger(field, text);
    }
    return BigInt(text.replace(/^\+/, ""));
  }

  #notInteger(field: FieldName, text: string): never {
    return this.#fail(field, `unable to parse '${text.slice(0, SHOWN_MAX)}' as big int`);
  }

  /** A boolean, given as such or as the text `true` or `false`; false where the field is absent. */
  boolean(field: FieldName): boolean {
    const value = this.#valueOf(field);
    if (value === undefined) return false;
    if (typeof value === "boolean") return value;
    if (typeof value === "string") {
      if (this.#isOpen(value)) return false;
      const text = this.#put(value).toLowerCase();
      if (text === "true" || text === "false") return text === "true";
    }
    return this.#fail(field, "unable to resolve field 'bool' to bool value");
  }

  /** A duration in milliseconds; undefined where the field is absent or empty. */
  durationMs(field: FieldName): number | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    if (typeof value !== "string") {
      return this.#fail(field, `expected uint or interpolated string but was ${typeName(value)}`);
    }
    if (this.#isOpen(value)) return undefined;
    const text = this.#put(value);
    if (text === "") return undefined;
    return parseSignedDurationMs(text) ?? this.#fail(field, `invalid duration '${text}'`);
  }

  /** A date; undefined where the field is absent or empty. */
  date(field: FieldName): Timestamp | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.#fail(field, "expected date as rfc3339 format");
    if (this.#isOpen(value)) return undefined;
    const text = this.#put(value);
    if (text === "") return undefined;
    return parseTimestamp(text) ?? this.#fail(field, "expected date as rfc3339 format");
  }

  /** Texts by keys, of which only the values may name variables; undefined where the field is absent. */
  texts(field: FieldName): Readonly<Record<string, string>> | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    if (!isObject(value)) return this.#fail(field, `expected map but was ${typeName(value)}`);
    const entries = Object.entries(value).map(([key, item]): [string, string] => {
      if (item === null) return [key, ""];
      if (typeof item === "string") return [key, this.#put(item)];
      return this.#fail(field, `expected string but was ${typeName(item)}`, key);
    });
    return Object.fromEntries(entries);
  }

  /** The fields of an object; undefined where the object is absent. */
  child(field: FieldName): Fields | undefined {
    const value = this.#valueOf(field);
    if (value === undefined) return undefined;
    if (!isObject(value)) return this.#fail(field, `expected map but was ${typeName(value)}`);
    const [key, name] = field;
    return new Fields(
      value,
      { path: [...this.#path, key], names: [...this.#names, name] },
      this.#variables,
    );
  }

  /** The fields of an object that is required. */
  requiredChild(field: FieldName): Fields {
    return this.child(field) ?? this.#fail(field, "expected map but was <nil>");
  }

  #valueOf([key]: FieldName): unknown {
    const value = Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
    return value === null ? undefined : value;
  }

  /** Whether a text names variables whose values are known only when an instance runs. */
  #isOpen(text: string): boolean {
    return this.#variables === undefined && hasPlaceholder(text);
  }

  #put(text: string): string {
    return this.#variables === undefined ? text : interpolate(text, this.#variables);
  }

  #fail([key, name]: FieldName, message: string, ...below: readonly string[]): never {
    const wrapped = [...this.#names, name].map((part) => `resolving field '${part}': `).join("");
    throw new WorkflowConfigError(`${wrapped}${message}`, [...this.#path, key, ...below]);
  }
}

/** Most characters of a value that a message shows. */
const SHOWN_MAX = 80;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The type of a JSON value as error messages name it, which is Go's name, as clients know it. */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "object" ? "map[string]interface {}" : "float64";
}
