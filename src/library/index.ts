import { resolve } from "node:path";
// A namespace import keeps zod's messages in all languages out of the bundle.
import * as z from "zod";
import { EmbeddedLedger } from "./embedded-ledger.ts";
import { withLedgerErrors } from "./error.ts";
import { openLedgerFile } from "./file.ts";
import { parse, toTimestamp } from "./input.ts";
import type { OpenOptions, PublicLedger } from "./ledger-type.ts";
import { PositionalSql } from "./positional-sql.ts";
import { verifyLedger } from "./verification.ts";
/**
 * `florin/ledger`: a ledger inside of a user's own process, on `node:sqlite`, with the engine and the rules of the server, without HTTP.
 * Two things may surprise:
 *
 * - The library is bundled by itself (`scripts/build-library.ts`): no file here may import Hono, Drizzle or the Workers runtime.
 * - The public types are written out, so that their declarations import no other file. This file gives them their public names.
 */
import {
  type EngineSettings,
  isLedgerName,
  LedgerEngine,
  type LedgerInfo,
  migrateToEnd,
  parseFeatures,
  RuntimeRequest,
} from "#ledger-engine";
import { systemClock } from "#platform/clock.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { type Clock } from "#platform/time.ts";

export { type ErrorCode, LedgerError } from "./error.ts";
export type { OpenOptions, PublicLedger as Ledger } from "./ledger-type.ts";
export type {
  PublicAccount as Account,
  PublicAccountVolumes as AccountVolumes,
  PublicAmount as Amount,
  BalanceOptions,
  PublicBulkElement as BulkElement,
  PublicBulkOptions as BulkOptions,
  BulkResult,
  PublicChart as Chart,
  PublicFeatures as Features,
  PublicFilter as Filter,
  PublicListOptions as ListOptions,
  PublicLogData as LogData,
  PublicLogEntry as LogEntry,
  LogOptions,
  PublicMetadata as Metadata,
  NewPosting,
  NewSchema,
  NewTransaction,
  PublicPosting as Posting,
  PublicQueryParams as QueryParams,
  QueryResult,
  QueryRun,
  PublicQueryTemplate as QueryTemplate,
  QueryValue,
  PublicQueryVariable as QueryVariable,
  QueryVariableType,
  RevertOptions,
  PublicRuntime as Runtime,
  Schema,
  PublicScript as Script,
  ScriptVariable,
  PublicTarget as Target,
  Time,
  PublicTransaction as Transaction,
  PublicTransactionTemplate as TransactionTemplate,
  Verification,
  VolumeEntry,
  VolumeOptions,
  PublicVolumes as Volumes,
  PublicWriteOptions as WriteOptions,
} from "./types.ts";

/**
 * Opens the ledger in a file, or creates it; without a file, the ledger is in memory. Throws `CONFLICT` if the file is already open, in
 * this process or in another, and `VALIDATION` for options that do not fit.
 */
export function openLedger(options: OpenOptions = {}): PublicLedger {
  return withLedgerErrors(openLedger, () => {
    const info = toInfo(options);
    const violations: string[] = [];
    const settings = toSettings(options, violations);
    const clock = toClock(options);
    const { file } = options;
    const isInMemory = file === undefined || file === ":memory:";
    const sql = isInMemory ? new PositionalSql() : openLedgerFile(resolve(file));
    try {
      LedgerEngine.create(sql, info);
      // A migration that is cut off between two of its transactions continues when the file is opened next.
      migrateToEnd(sql);
      const engine = new LedgerEngine(sql, clock, settings);
      assertSame(engine.info, options);
      const { onSchemaViolation = () => undefined } = options;
      return new EmbeddedLedger(engine, {
        runtime: settings.scripts.runtime,
        violations,
        onViolation: onSchemaViolation,
        verify: () => verifyLedger(sql, engine.info),
        closeStorage: () => sql.close(),
      });
    } catch (error) {
      sql.close();
      throw error;
    }
  });
}

const NAME_DEFAULT = "default";
/** The server's bucket for ledgers that name none. */
const BUCKET = "_default";

function toInfo({ name = NAME_DEFAULT, features }: OpenOptions): LedgerInfo {
  if (!isLedgerName(name)) {
    throw new AppError(
      "VALIDATION",
      `invalid ledger name '${name}': expected 1 to 63 letters, digits, '_' and '-', and not a reserved name`,
    );
  }
  const chosen = Object.fromEntries(givenFeatures(features));
  return {
    uuid: newId(),
    name,
    bucket: BUCKET,
    features: parseFeatures(chosen, { mayChoose: true }),
  };
}

/** The settings of the engine, which adds violations of schemas to `violations`. */
function toSettings(
  { runtime, featureFlags = [], schemaEnforcement }: OpenOptions,
  violations: string[],
): EngineSettings {
  const wanted = parse(RuntimeRequest, runtime, "runtime");
  const mode = parse(EnforcementRequest, schemaEnforcement, "schemaEnforcement");
  return {
    scripts: { runtime: wanted || "machine", featureFlags: new Set(featureFlags) },
    schemas: {
      isStrict: mode === "strict",
      report: (violation) => violations.push(violation),
    },
  };
}

const EnforcementRequest = z.enum(["audit", "strict"]).nullish();

const toClock = ({ clock }: OpenOptions): Clock =>
  clock === undefined ? systemClock : () => toTimestamp(clock(), "clock");

/** Throws `VALIDATION` if an existing ledger has another name or other features than the caller expects. */
function assertSame(info: LedgerInfo, { name, features }: OpenOptions): void {
  if (name !== undefined && name !== info.name) {
    throw new AppError("VALIDATION", `the file holds the ledger '${info.name}', not '${name}'`);
  }
  const kept: Readonly<Record<string, string>> = info.features;
  for (const [feature, value] of givenFeatures(features)) {
    if (kept[feature] === value) continue;
    throw new AppError(
      "VALIDATION",
      `the ledger was made with ${feature} ${kept[feature]}, not ${value}`,
    );
  }
}

const givenFeatures = (features: OpenOptions["features"] = {}): [string, string][] =>
  Object.entries(features).filter(([, value]) => value !== undefined);
