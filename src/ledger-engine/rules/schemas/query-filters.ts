import { invalid, shown } from "./failures.ts";
import type { QueryResource } from "./query-params.ts";
import type { QueryVariables, VariableType, VariableValue } from "./query-variables.ts";
import { type KeyType, keyTypeOf, toLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { AppError } from "#platform/errors.ts";
import {
  type Filter,
  FILTER_LENGTH_MAX,
  type FilterScalar,
  type FilterValue,
  parseFilter,
  toFilterText,
} from "#platform/filter/filter.ts";

/**
 * A filter with variables in its values. For a key that takes texts, a text is a template that may contain `$name` or
 * `${name}`. For a key of another type, a text is a single variable of the type, `${name}`.
 */
export interface FilterTemplate {
  readonly resource: QueryResource;
  /** Undefined for no filter. */
  readonly filter: Filter | undefined;
}

/** Checks a filter with variables. Throws `VALIDATION`. */
export function decodeFilter(
  body: unknown,
  resource: QueryResource,
  variables: QueryVariables,
): FilterTemplate {
  try {
    const filter = parseFilter(body);
    if (filter === undefined) return { resource, filter };
    // `toFilterText` throws for a filter that is too long to be run.
    toFilterText(body);
    // Keys and values are checked with sample values for the variables.
    toLedgerFilter(resource, substitute(filter, resource, samplesOf(variables)));
    return { resource, filter };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid(`failed to validate filter body: ${error.message}`);
  }
}

/**
 * The filter with the values of its variables, as JSON with exact integers. Throws `VALIDATION` for a missing value.
 */
export function resolveFilter(
  { resource, filter }: FilterTemplate,
  values: ReadonlyMap<string, VariableValue>,
): unknown {
  return filter === undefined ? undefined : toJson(substitute(filter, resource, given(values)));
}

/** Replaces the variables of a filter. */
interface Substitution {
  text(template: string, key: string): string;
  variable(name: string, key: string, type: VariableType): FilterScalar;
}

/** Replaces variables with given values. A long value may be used in many places, so that their total length is limited. */
function given(values: ReadonlyMap<string, VariableValue>): Substitution {
  let length = 0;
  const find = (name: string, key: string): VariableValue => {
    const value = values.get(name);
    if (value === undefined) {
      throw invalid(
        `failed to resolve query template: invalid filter on key ${shown(key)}: missing variable: ${shown(name)}`,
        `vars.${name}`,
      );
    }
    length += `${value}`.length;
    if (length <= FILTER_LENGTH_MAX) return value;
    const most = `longer than ${FILTER_LENGTH_MAX} characters`;
    throw invalid(`failed to resolve query template: with its variables, the filter is ${most}`);
  };
  return {
    text: (template, key) => interpolated(template, (name) => `${find(name, key)}`),
    variable: find,
  };
}

function samplesOf(variables: QueryVariables): Substitution {
  const typeOf = (name: string): VariableType => {
    const variable = variables.get(name);
    if (variable !== undefined) return variable.type;
    throw invalid(`variable \`${shown(name)}\` is not declared`);
  };
  return {
    text: (template) => {
      const literal = interpolated(template, typeOf);
      return template.includes("$") ? SAMPLE_TEXT : literal;
    },
    variable: (name, _key, expected) => {
      const type = typeOf(name);
      if (type === expected) return SAMPLES[type];
      throw invalid(`variable \`${shown(name)}\` is of type \`${type}\`, expected \`${expected}\``);
    },
  };
}

/** A text that every key accepts, also the type of a log entry, which accepts only few. */
const SAMPLE_TEXT = "NEW_TRANSACTION";
const SAMPLES: Readonly<Record<VariableType, VariableValue>> = {
  boolean: true,
  date: "2026-01-01T00:00:00Z",
  int: 0,
  string: SAMPLE_TEXT,
};

const KEY = /^[a-z_]+(?:\[[a-zA-Z0-9_/]+\])?$/;

function substitute(filter: Filter, resource: QueryResource, substitution: Substitution): Filter {
  switch (filter.kind) {
    case "all":
    case "any": {
      const filters = filter.filters.map((it) => substitute(it, resource, substitution));
      return { ...filter, filters };
    }
    case "not":
      return { ...filter, filter: substitute(filter.filter, resource, substitution) };
    case "test":
      return substituteTest(filter, resource, substitution);
  }
}

function substituteTest(test: Test, resource: QueryResource, substitution: Substitution): Test {
  const { key, value } = test;
  const keyType = KEY.test(key) ? keyTypeOf(resource, key) : undefined;
  if (keyType === undefined) throw invalid(`unknown field: ${shown(key)}`);
  const type = valueTypeOf(test, keyType);
  const scalar = (item: FilterScalar): FilterScalar => {
    if (typeof item !== "string") return item;
    if (type === "string") return substitution.text(item, key);
    const name = ONE_VARIABLE.exec(item)?.[1];
    if (name !== undefined) return substitution.variable(name, key, type);
    throw invalid(`expected a "\${variable}" string or a plain value, got \`${shown(item)}\``);
  };
  return { ...test, value: isList(value) ? value.map(scalar) : scalar(value) };
}

type Test = Extract<Filter, { kind: "test" }>;

/** The type of a test's value. `$exists` takes a name or, on a key with brackets, a boolean. */
function valueTypeOf({ operator, key }: Test, keyType: KeyType): VariableType {
  if (operator === "$exists") return key.endsWith("]") ? "boolean" : "string";
  return VALUE_TYPES[keyType];
}

const VALUE_TYPES: Readonly<Record<KeyType, VariableType>> = {
  number: "int",
  balance: "int",
  date: "date",
  boolean: "boolean",
  text: "string",
  address: "string",
  metadata: "string",
};

const ONE_VARIABLE = /^\$\{([a-zA-Z_]+)\}$/;
const VARIABLE = /\$(?:\{([a-z][a-z0-9_]*)\}|([a-z][a-z0-9_]*))?/g;

const interpolated = (template: string, replace: (name: string) => string): string =>
  template.replaceAll(VARIABLE, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name !== undefined) return replace(name);
    throw invalid(`expected a variable after each \`$\`, got \`${shown(template)}\``);
  });

const isList = (value: FilterValue): value is readonly FilterScalar[] => Array.isArray(value);

function toJson(filter: Filter): unknown {
  switch (filter.kind) {
    case "all":
      return { $and: filter.filters.map(toJson) };
    case "any":
      return { $or: filter.filters.map(toJson) };
    case "not":
      return { $not: toJson(filter.filter) };
    case "test":
      return { [filter.operator]: { [filter.key]: filter.value } };
  }
}
