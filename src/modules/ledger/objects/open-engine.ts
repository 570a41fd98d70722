import type { ViolationLog } from "./violation-log.ts";
import { LedgerEngine } from "#ledger-engine";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import { systemClock } from "#platform/clock.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Opens the stored ledger, with the settings of the deployment. */
export function openEngine(sql: Sql, env: Env, violations: ViolationLog): LedgerEngine {
  const settings = ledgerSettings.of(env);
  return new LedgerEngine(sql, systemClock, {
    scripts: {
      runtime: standardRuntimeOf(settings),
      featureFlags: new Set(settings.FLORIN_NUMSCRIPT_INTERPRETER_FLAGS),
    },
    schemas: {
      isStrict: settings.FLORIN_SCHEMA_ENFORCEMENT_MODE === "strict",
      report: (violation) => violations.add(violation),
    },
  });
}

/** Whether an engine is that of the wanted ledger. After a purge, another ledger may have the same name, but not the same uuid. */
export const isOf = ({ info }: LedgerEngine, uuid: string | undefined): boolean =>
  uuid === undefined || info.uuid === uuid;
