import { z } from "zod";
import { CronSchedule } from "./cron-schedule.ts";
import { parseDurationMs } from "./duration.ts";
import { memoByEnv } from "./memo.ts";

/** The settings of a deployment: Worker variables, parsed once. */
export type Settings = z.output<typeof SettingsSchema>;
export type SettingName = keyof typeof SettingsSchema.shape;

const ON_OFF = ["on", "off"] as const;
const BOOLEANS = ["true", "false"] as const;
const INSERTION_LIMIT = 100_000;
const PERIOD_MS_MIN = 10;

const SettingsSchema = z.object({
  FLORIN_AUTH: choice(ON_OFF, "on"),
  /** Set by `npm start` and by tests only: allows what is refused on the internet. */
  FLORIN_LOCAL: boolean("false"),
  FLORIN_CLIENT_ID: text("a non-empty text", (value) => value.length > 0).optional(),
  FLORIN_CLIENT_SECRET: text("at least 16 characters", (value) => value.length >= 16).optional(),
  FLORIN_SECRET_KEY: text(
    "32 bytes in base64, as made by `openssl rand -base64 32`",
    (value) => decodedLength(value) === 32,
  ),
  FLORIN_PREVIOUS_SECRET_KEYS: list(
    "comma separated keys of 32 bytes in base64",
    (value) => decodedLength(value) === 32,
  ),
  FLORIN_PUBLIC_URL: text("an http(s) URL without query", isBaseUrl)
    .transform((value) => value.replace(/\/+$/, ""))
    .optional(),
  FLORIN_TRUSTED_ISSUERS: list("comma separated http(s) URLs", isBaseUrl),
  FLORIN_ALLOW_PRIVATE_HOSTS: boolean("false"),
  FLORIN_DEFAULT_PAGE_SIZE: integer("15", 1, 1000),
  FLORIN_MAX_PAGE_SIZE: integer("1000", 1, 1000),
  FLORIN_BULK_MAX_SIZE: integer("1000", 1, INSERTION_LIMIT),
  FLORIN_EXPERIMENTAL_FEATURES: boolean("true"),
  FLORIN_EXPORTERS: boolean("true"),
  FLORIN_PIPELINE_PULL_INTERVAL: period("5s"),
  FLORIN_PIPELINE_PUSH_RETRY_PERIOD: period("10s"),
  FLORIN_PIPELINE_SYNC_PERIOD: period("1m"),
  FLORIN_PIPELINE_PAGE_SIZE: integer("100", 1, 1000),
  FLORIN_SCHEMA_ENFORCEMENT_MODE: choice(["audit", "strict"], "audit"),
  FLORIN_BUCKET_RETENTION: duration("720h"),
  FLORIN_BUCKET_CLEANUP_SCHEDULE: schedule("0 0 * * * *"),
  FLORIN_NUMSCRIPT_INTERPRETER: boolean("false"),
  FLORIN_NUMSCRIPT_INTERPRETER_FLAGS: list(
    "comma separated feature flags such as experimental-oneof",
    (value) => /^[a-z-]+$/.test(value),
  ),
  FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: duration("1m"),
  FLORIN_WEBHOOK_RETRY_MAX_BACKOFF: duration("1h"),
  FLORIN_WEBHOOK_RETRY_ABORT_AFTER: duration("10h"),
  FLORIN_WEBHOOK_RETRY_MAX_ATTEMPTS: integer("15", 0, 1000),
});

/** A setting has a value that Florin cannot work with. The message is a sentence for the operator. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/**
 * Reads the settings from Worker variables or a process environment; an empty value counts as not set.
 * Throws `SettingsError` naming each wrong variable, what it got and what it takes.
 */
export function parseSettings(source: Readonly<Record<string, unknown>>): Settings {
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = source[name];
    if (typeof value === "string" && value !== "") values[name] = value;
  }
  const parsed = SettingsSchema.safeParse(values);
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues
        .map((issue) => sentence(String(issue.path[0]), values[String(issue.path[0])], issue))
        .join("\n"),
    );
  }
  assertConsistent(parsed.data);
  return parsed.data;
}

/** The settings of an environment, parsed at its first use. */
export const settingsOf: (env: object) => Settings = memoByEnv((env: object) =>
  parseSettings(env as Readonly<Record<string, unknown>>),
);

export const SETTING_NAMES: readonly string[] = Object.keys(SettingsSchema.shape);

/** Names whose values never appear in a log, an error or a terminal. */
const SECRET_NAMES = new Set([
  "FLORIN_CLIENT_SECRET",
  "FLORIN_SECRET_KEY",
  "FLORIN_PREVIOUS_SECRET_KEYS",
]);

function sentence(name: string, got: unknown, issue: { message: string }): string {
  const value = SECRET_NAMES.has(name) ? "a value that does not fit" : JSON.stringify(got);
  return got === undefined
    ? `${name} is not set. It takes ${issue.message}.`
    : `${name} is ${value}. It takes ${issue.message}.`;
}

function assertConsistent(settings: Settings): void {
  if ((settings.FLORIN_CLIENT_ID === undefined) !== (settings.FLORIN_CLIENT_SECRET === undefined)) {
    throw new SettingsError(
      "FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET belong together. Set both or none.",
    );
  }
  if (settings.FLORIN_AUTH === "off" && !settings.FLORIN_LOCAL) {
    throw new SettingsError(
      'FLORIN_AUTH is "off". A deployment takes "on" only; "off" is for `npm start` on your own machine.',
    );
  }
  if (settings.FLORIN_DEFAULT_PAGE_SIZE > settings.FLORIN_MAX_PAGE_SIZE) {
    throw new SettingsError(
      `FLORIN_DEFAULT_PAGE_SIZE is ${settings.FLORIN_DEFAULT_PAGE_SIZE}. It takes at most FLORIN_MAX_PAGE_SIZE, which is ${settings.FLORIN_MAX_PAGE_SIZE}.`,
    );
  }
}

function choice<const T extends readonly [string, ...string[]]>(values: T, standard: T[number]) {
  const wanted = values.map((value) => JSON.stringify(value)).join(" or ");
  return z
    .enum(values, { error: wanted })
    .optional()
    .transform((value) => value ?? standard);
}

function boolean(standard: (typeof BOOLEANS)[number]) {
  return choice(BOOLEANS, standard).transform((value) => value === "true");
}

function text(wanted: string, fits: (value: string) => boolean) {
  return z.string({ error: wanted }).refine(fits, wanted);
}

function list(wanted: string, fits: (value: string) => boolean) {
  return z
    .string()
    .default("")
    .transform((value) => value.split(",").map((item) => item.trim()))
    .transform((items) => items.filter((item) => item !== ""))
    .refine((items) => items.every(fits), wanted);
}

function integer(standard: string, least: number, most: number) {
  const wanted = `an integer from ${least} to ${most}`;
  return z
    .string()
    .default(standard)
    .refine((value) => /^\d{1,9}$/.test(value), wanted)
    .transform(Number)
    .refine((value) => value >= least && value <= most, wanted);
}

/** Milliseconds, from a duration in Go's notation. */
function duration(standard: string) {
  const wanted = 'a duration such as "300ms", "5s" or "1h30m"';
  return z
    .string()
    .default(standard)
    .transform((value, context) => {
      const milliseconds = parseDurationMs(value);
      if (milliseconds !== undefined) return milliseconds;
      context.addIssue({ code: "custom", message: wanted });
      return z.NEVER;
    });
}

/** A duration after which something is done again and again: one of nothing would leave time for nothing else. */
function period(standard: string) {
  const wanted = `a duration such as "300ms", "5s" or "1h30m", of ${PERIOD_MS_MIN} ms at least`;
  return duration(standard).refine((milliseconds) => milliseconds >= PERIOD_MS_MIN, wanted);
}

function schedule(standard: string) {
  const wanted = 'six cron fields, seconds first, such as "0 0 * * * *", for times that come';
  return z
    .string()
    .default(standard)
    .transform((value, context) => {
      const parsed = CronSchedule.parse(value);
      if (parsed !== undefined) return parsed;
      context.addIssue({ code: "custom", message: wanted });
      return z.NEVER;
    });
}

function decodedLength(base64: string): number {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0
    ? atob(base64).length
    : -1;
}

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === ""
  );
}
