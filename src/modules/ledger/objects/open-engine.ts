import type { ViolationLog } from "./violation-log.ts";
import { applyDeletion, LedgerEngine } from "#ledger-engine";
import type { Ledger } from "#modules/catalogue/index.ts";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import { systemClock } from "#platform/clock.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Creates the tables of a ledger as the catalogue has it, deleted or not. */
export const createLedger = (sql: Sql, ledger: Ledger): void =>
  sql.transaction(() => {
    LedgerEngine.create(sql, ledger);
    applyDeletion(sql, ledger);
  });

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
