import { formatDurationMs, parseDurationMs } from "#platform/duration.ts";
import { AppError } from "#platform/errors.ts";

/** A field of a connector's configuration. */
export interface ConfigField {
  /** The canonical name, such as `apiKey`. Requests may write the name in any case. */
  readonly name: string;
  /** The name of the field in errors, such as `APIKey`. */
  readonly label: string;
  readonly type: "string" | "unsigned integer" | "boolean";
  readonly isRequired: boolean;
  /** Whether the value is a secret: only clients with the scope to write read it in clear, and no log or error shows it. */
  readonly isSecret?: boolean;
  /** A further check of the value, and the name of its rule in errors, such as `dirpath`. */
  readonly rule?: { readonly name: string; readonly holds: (value: string) => boolean };
}

/** The values of the fields of a configuration, by their canonical names. */
export type PluginConfig = Readonly<Record<string, string | number | boolean>>;

/** A configuration that was checked. */
export interface ConnectorConfig {
  readonly name: string;
  readonly pollingPeriodMs: number;
  /** A value for each field of the kind. Optional fields that are absent have the empty value of their type. */
  readonly values: PluginConfig;
}

export interface PollingLimits {
  readonly standardMs: number;
  readonly leastMs: number;
}

const NAME_LENGTH = { min: 3, max: 500 };
/** Longest text of a field, in characters. */
const TEXT_LENGTH_MAX = 20_000;
/** Longest polling period: a year. */
const POLLING_PERIOD_MS_MAX = 8760 * 3_600_000;

/**
 * Checks a configuration against the fields of its kind. Field names are compared without regard to case, and members
 * that are no field are dropped. Throws `VALIDATION` naming each field that is wrong.
 */
export function parseConfig(
  fields: readonly ConfigField[],
  body: unknown,
  limits: PollingLimits,
): ConnectorConfig {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalid("expected a JSON object");
  }
  const members = membersOf(body, ["name", "pollingPeriod", ...fields.map((field) => field.name)]);
  const valueOf = (field: ConfigField) => readValue(field, members.get(field.name.toLowerCase()));
  const name = String(valueOf(NAME));
  const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
  const pollingPeriodMs = readPollingPeriod(members.get("pollingperiod"), limits);
  const problems = [
    ...[nameProblem(name)].filter((problem) => problem !== undefined),
    ...fields.flatMap((field) => problemOf(field, values[field.name]) ?? []),
  ];
  if (problems.length > 0) {
    throw new AppError(
      "VALIDATION",
      `invalid config: ${problems.map(({ field, rule }) => failed(field, rule)).join("\n")}`,
      { details: problems.map(({ field }) => field.name).join(", ") },
    );
  }
  return { name, pollingPeriodMs, values };
}

/**
 * Checks that the server may call each http(s) URL among the texts of a configuration, whatever the name of its field is. `problemOf`
 * describes what is wrong with a URL, as the rest of a sentence. Throws `VALIDATION` naming each field that is wrong.
 */
export function assertCallable(
  fields: readonly ConfigField[],
  values: PluginConfig,
  problemOf: (url: string) => string | undefined,
): void {
  const problems = fields.flatMap(({ name }) => {
    const value = values[name];
    const problem = typeof value === "string" && WEB_URL.test(value) ? problemOf(value) : undefined;
    return problem === undefined ? [] : [{ name, text: `'${name}' ${problem}` }];
  });
  if (problems.length === 0) return;
  throw new AppError(
    "VALIDATION",
    `invalid config: ${problems.map(({ text }) => text).join("; ")}`,
    {
      details: problems.map(({ name }) => name).join(", "),
    },
  );
}

/** A text that URL parsers read as an http(s) URL: they drop spaces and control characters before the scheme. */
// oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
const WEB_URL = /^[\u0000-\u0020]*https?:/i;

const NAME: ConfigField = { name: "name", label: "Name", type: "string", isRequired: true };

/**
 * The members of a body by their names in lower case. If two members have one name, the one that is written exactly as in `names` counts.
 */
function membersOf(body: object, names: readonly string[]): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) {
    const key = name.toLowerCase();
    if (!members.has(key) || names.includes(name)) members.set(key, value);
  }
  return members;
}

interface FieldProblem {
  readonly field: ConfigField;
  readonly rule: string;
}

/** The message of a failed check, whose wording clients parse. */
const failed = ({ label }: ConfigField, rule: string): string =>
  `Key: 'Config.${label}' Error:Field validation for '${label}' failed on the '${rule}' tag`;

function nameProblem(name: string): FieldProblem | undefined {
  const length = Array.from(name).length;
  if (length === 0) return { field: NAME, rule: "required" };
  if (length < NAME_LENGTH.min) return { field: NAME, rule: "min" };
  return length > NAME_LENGTH.max ? { field: NAME, rule: "max" } : undefined;
}

function problemOf(field: ConfigField, value: PluginConfig[string] | undefined) {
  if (value === undefined || value === "" || value === 0) {
    return field.isRequired ? { field, rule: "required" } : undefined;
  }
  if (typeof value !== "string") return undefined;
  if (value.length > TEXT_LENGTH_MAX) return { field, rule: "max" };
  return field.rule === undefined || field.rule.holds(value)
    ? undefined
    : { field, rule: field.rule.name };
}

const EMPTY = { string: "", "unsigned integer": 0, boolean: false } as const;
const EXPECTED = {
  string: "a text",
  "unsigned integer": "an unsigned integer",
  boolean: "true or false",
} as const;

function readValue({ name, type }: ConfigField, value: unknown): PluginConfig[string] {
  if (value === undefined || value === null) return EMPTY[type];
  if (type === "string" && typeof value === "string") return value;
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "unsigned integer" && typeof value === "number" && value >= 0) return value;
  throw invalid(`'${name}' is not ${EXPECTED[type]}`);
}

function readPollingPeriod(value: unknown, { standardMs, leastMs }: PollingLimits): number {
  if (value === undefined || value === null || value === "") return standardMs;
  const isNegative = typeof value === "string" && value.startsWith("-");
  const text = typeof value === "string" ? value.slice(isNegative ? 1 : 0) : "";
  const milliseconds = parseDurationMs(text);
  if (milliseconds === undefined) {
    throw periodProblem('expected a duration such as "30m" or "1h30m"');
  }
  if (isNegative || milliseconds === 0) return standardMs;
  if (milliseconds < leastMs) {
    throw periodProblem(
      `polling period cannot be lower than minimum of ${formatDurationMs(leastMs)}`,
    );
  }
  if (milliseconds > POLLING_PERIOD_MS_MAX) {
    throw periodProblem(
      `polling period cannot be longer than ${formatDurationMs(POLLING_PERIOD_MS_MAX)}`,
    );
  }
  return milliseconds;
}

const periodProblem = (why: string): AppError =>
  new AppError("VALIDATION", `invalid config: polling period invalid: ${why}`, {
    details: "pollingPeriod",
  });

const invalid = (why: string): AppError => new AppError("VALIDATION", `invalid config: ${why}`);
