import type { Runtime } from "#numscript";
import {
  boolean,
  choice,
  duration,
  integer,
  list,
  schedule,
  DeclaredSettings,
  type SettingsOf,
} from "#platform/settings.ts";

/** Most elements that a bulk may be allowed to have. */
const BULK_ELEMENTS_MAX = 100_000;

export const ledgerSettings = new DeclaredSettings({
  FLORIN_BULK_MAX_SIZE: integer(
    { least: 1, most: BULK_ELEMENTS_MAX },
    {
      standard: "1000",
      meaning:
        "Most elements of a bulk that is a JSON array; a larger one is refused with `BULK_SIZE_EXCEEDED`",
    },
  ),
  FLORIN_EXPERIMENTAL_FEATURES: boolean({
    standard: "true",
    meaning: "Whether ledgers may choose their features at creation",
  }),
  FLORIN_SCHEMA_ENFORCEMENT_MODE: choice(["audit", "strict"], {
    standard: "audit",
    meaning: "Whether a write that violates the schema is logged (`audit`) or refused (`strict`)",
  }),
  FLORIN_BUCKET_RETENTION: duration({
    standard: "720h",
    meaning: "How long a deleted bucket can be restored",
  }),
  FLORIN_BUCKET_CLEANUP_SCHEDULE: schedule({
    standard: "0 0 * * * *",
    meaning:
      "When buckets whose retention is over are purged: six cron fields in UTC, seconds first",
  }),
  FLORIN_NUMSCRIPT_INTERPRETER: boolean({
    standard: "false",
    meaning: "`true` makes the interpreter the default runtime of scripts",
  }),
  FLORIN_NUMSCRIPT_INTERPRETER_FLAGS: list(
    "comma separated feature flags such as experimental-oneof",
    (value) => /^[a-z-]+$/.test(value),
    { meaning: "Feature flags that every script for the interpreter gets, comma separated" },
  ),
});

type LedgerSettings = SettingsOf<typeof ledgerSettings>;

/** The runtime of scripts that name none. */
export const standardRuntimeOf = ({ FLORIN_NUMSCRIPT_INTERPRETER }: LedgerSettings): Runtime =>
  FLORIN_NUMSCRIPT_INTERPRETER ? "experimental-interpreter" : "machine";
