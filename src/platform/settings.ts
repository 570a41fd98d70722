import { z } from "zod";
import { CronSchedule } from "./cron-schedule.ts";
import { parseDurationMs } from "./duration.ts";
import { memoByEnv } from "./memo.ts";

/** One setting of a deployment, a Worker variable: the parser of its text, and its purpose. */
export interface Setting<T> {
  /** Parses the text; `undefined` stands for an absent setting. Messages of the schema say which values the setting accepts. */
  readonly schema: z.ZodType<T, string | undefined>;
  /** The setting's purpose, as docs/settings.md shows it. */
  readonly meaning: string;
  /** The default text; undefined if the setting has no default. */
  readonly standard?: string | undefined;
  /** Whether the value is a secret, which never appears in a log, an error or a terminal. */
  readonly isSecret?: boolean;
}

type Shape = Readonly<Record<string, Setting<unknown>>>;
type Values<S extends Shape> = {
  readonly [N in keyof S]: S[N] extends Setting<infer T> ? T : never;
};
export type SettingsOf<T> = T extends DeclaredSettings<infer S> ? Values<S> : never;

/** The settings of one module, or of the platform. */
export interface SettingsTable {
  readonly settings: Shape;
  readonly names: readonly string[];
  /**
   * Reads the settings from Worker variables or a process environment; an empty value counts as absent. Throws `SettingsError` that names
   * each wrong variable, its value and the accepted values.
   */
  readonly parse: (source: SettingsSource) => Readonly<Record<string, unknown>>;
}

/** A table of settings with typed values. */
export class DeclaredSettings<S extends Shape> implements SettingsTable {
  readonly settings: S;
  readonly #assertConsistent: (values: Values<S>, source: SettingsSource) => void;
  /** The settings of an environment, parsed at their first use. */
  readonly of: (env: object) => Values<S>;

  /** `assertConsistent` throws `SettingsError` for settings that contradict each other. */
  constructor(
    settings: S,
    assertConsistent: (values: Values<S>, source: SettingsSource) => void = () => undefined,
  ) {
    this.settings = settings;
    this.#assertConsistent = assertConsistent;
    this.of = memoByEnv((env: object) => this.parse(env as SettingsSource));
  }

  get names(): string[] {
    return Object.keys(this.settings);
  }

  parse(source: SettingsSource): Values<S> {
    const values: Record<string, unknown> = {};
    const wrong: string[] = [];
    for (const [name, setting] of Object.entries(this.settings)) {
      const text = textOf(source, name);
      const parsed = setting.schema.safeParse(text);
      if (parsed.success) values[name] = parsed.data;
      else
        wrong.push(
          ...parsed.error.issues.map((issue) => toSentence(name, text, { setting, issue })),
        );
    }
    if (wrong.length > 0) throw new SettingsError(wrong.join("\n"));
    const complete = values as Values<S>; // Each name of the table has a value of its own schema.
    this.#assertConsistent(complete, source);
    return complete;
  }
}

export type SettingsSource = Readonly<Record<string, unknown>>;

/** The error of a setting with an unusable value. The message is a sentence for the operator. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** Checks the settings of several tables. Throws `SettingsError` with a sentence for each wrong variable in all tables. */
export function assertSettings(tables: readonly SettingsTable[], source: SettingsSource): void {
  const sentences = tables.flatMap((table) => {
    try {
      table.parse(source);
      return [];
    } catch (error) {
      if (error instanceof SettingsError) return [error.message];
      throw error;
    }
  });
  if (sentences.length > 0) throw new SettingsError(sentences.join("\n"));
}

const textOf = (source: SettingsSource, name: string): string | undefined => {
  const value = source[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

function toSentence(
  name: string,
  text: string | undefined,
  { setting, issue }: { setting: Setting<unknown>; issue: { message: string } },
): string {
  if (text === undefined) return `${name} is not set. It takes ${issue.message}.`;
  const value = setting.isSecret === true ? "a value that does not fit" : JSON.stringify(text);
  return `${name} is ${value}. It takes ${issue.message}.`;
}

/** The description that every kind of setting has. */
interface Described {
  readonly meaning: string;
  readonly isSecret?: boolean;
}
interface WithStandard extends Described {
  readonly standard: string;
}

const BOOLEANS = ["true", "false"] as const;
const PERIOD_MS_MIN = 10;
const HOUR_MS = 3_600_000;
const RETENTION_HOURS_MAX = 876_000;

export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  described: Described & { readonly standard: T[number] },
) {
  const wanted = values.map((value) => JSON.stringify(value)).join(" or ");
  const schema = z
    .enum(values, { error: wanted })
    .optional()
    .transform((value): T[number] => value ?? described.standard);
  return { ...described, schema };
}

export function boolean(described: Described & { readonly standard: "true" | "false" }) {
  const { schema } = choice(BOOLEANS, described);
  return { ...described, schema: schema.transform((value) => value === "true") };
}

/** A setting with a text that is required. */
export function text(wanted: string, fits: (value: string) => boolean, described: Described) {
  return { ...described, schema: fitting(wanted, fits) };
}

/** A setting with a text and a default. */
export function textOrStandard(
  wanted: string,
  fits: (value: string) => boolean,
  described: WithStandard,
) {
  const schema = fitting(wanted, fits).optional();
  return { ...described, schema: schema.transform((value) => value ?? described.standard) };
}

/** A setting with a text that may be absent. */
export function optionalText(
  wanted: string,
  fits: (value: string) => boolean,
  described: Described,
) {
  return { ...described, schema: fitting(wanted, fits).optional() };
}

const fitting = (wanted: string, fits: (value: string) => boolean) =>
  z.string({ error: wanted }).refine(fits, wanted);

/** A setting with comma-separated texts. */
export function list(wanted: string, fits: (value: string) => boolean, described: Described) {
  const schema = z
    .string()
    .default("")
    .transform((value) => value.split(",").map((item) => item.trim()))
    .transform((items) => items.filter((item) => item !== ""))
    .refine((items) => items.every(fits), wanted);
  return { ...described, standard: "", schema };
}

export function integer(
  { least, most }: { readonly least: number; readonly most: number },
  described: WithStandard,
) {
  const wanted = `an integer from ${least} to ${most}`;
  const schema = z
    .string()
    .default(described.standard)
    .refine((value) => /^\d{1,9}$/.test(value), wanted)
    .transform(Number)
    .refine((value) => value >= least && value <= most, wanted);
  return { ...described, schema };
}

/** A setting with a duration in Go's notation, in milliseconds. */
export function duration(described: WithStandard) {
  const wanted = 'a duration such as "300ms", "5s" or "1h30m"';
  const schema = z
    .string()
    .default(described.standard)
    .transform((value, context) => {
      const milliseconds = parseDurationMs(value);
      if (milliseconds !== undefined) return milliseconds;
      context.addIssue({ code: "custom", message: wanted });
      return z.NEVER;
    });
  return { ...described, schema };
}

/** A setting with the period of a repeated task, in milliseconds. Zero is refused, because the task would leave no time for other work. */
export function period(described: WithStandard) {
  const wanted = `a duration such as "300ms", "5s" or "1h30m", of ${PERIOD_MS_MIN} ms at least`;
  const { schema } = duration(described);
  return {
    ...described,
    schema: schema.refine((milliseconds) => milliseconds >= PERIOD_MS_MIN, wanted),
  };
}

/**
 * A setting with the retention of records, in milliseconds: at least an hour, because less would delete records before anybody has seen
 * them, and at most a century, so that computed dates stay in range.
 */
export function retention(described: WithStandard) {
  const wanted = `a duration such as "8760h", from 1h to ${RETENTION_HOURS_MAX}h`;
  const { schema } = duration(described);
  return {
    ...described,
    schema: schema.refine(
      (milliseconds) => milliseconds >= HOUR_MS && milliseconds <= RETENTION_HOURS_MAX * HOUR_MS,
      wanted,
    ),
  };
}

export function schedule(described: WithStandard) {
  const wanted = 'six cron fields, seconds first, such as "0 0 * * * *", for times that come';
  const schema = z
    .string()
    .default(described.standard)
    .transform((value, context) => {
      const parsed = CronSchedule.parse(value);
      if (parsed !== undefined) return parsed;
      context.addIssue({ code: "custom", message: wanted });
      return z.NEVER;
    });
  return { ...described, schema };
}

export function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === ""
  );
}
