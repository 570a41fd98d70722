import { NOT_CREATED } from "./table-migration.ts";
import {
  forgetImportNotes,
  type ImportOutcome,
  type LedgerEngine,
  type LedgerHead,
  type OriginFacts,
  type RestoredMarks,
  restoreMarks,
  restoreOrigins,
} from "#ledger-engine";
import { AppError } from "#platform/errors.ts";
import { attempt, type Result } from "#platform/result.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * A step of the restoration of a ledger, for the ledger with a uuid. The order of steps, each of which may come twice:
 *
 *     logs … logs        entries in their order: every hash and volume is computed again
 *     origins … origins  authors, causes and notes of entries that are there
 *     finish             compares the end of the log; sets up to where events are published
 *
 * `head` says how far the ledger has come.
 */
export type RestoreStep = { readonly uuid: string } & (
  | { readonly kind: "head" }
  | {
      readonly kind: "logs";
      readonly texts: readonly string[];
      readonly before: number;
      /** The id of the entry behind which these come; -1 for the first ones. */
      readonly after: number;
    }
  | ({ readonly kind: "origins" } & OriginFacts)
  | ({ readonly kind: "finish" } & RestoredEnd)
);

/** The end of a restored log, and the marks of its ledger. */
export interface RestoredEnd extends RestoredMarks {
  /** The id of the last entry; -1 for an empty log. */
  readonly lastLogId: number;
  readonly lastHash: string;
}

/** How far a ledger has come after a step, and what has become of the entries of the step. */
export interface RestoredLog {
  readonly head: LedgerHead;
  /** Absent for steps without entries. */
  readonly outcome?: ImportOutcome;
}

/**
 * Does a step in one turn of the object. Fails with `LEDGER_NOT_FOUND` where the object holds no ledger, with `CONFLICT` where it holds another
 * one, where entries do not come next, because two requests write the same log, and where a log ends differently.
 */
export function restoreStep(
  sql: Sql,
  engine: LedgerEngine | undefined,
  step: RestoreStep,
): Result<RestoredLog> {
  if (engine === undefined) return NOT_CREATED;
  return attempt(() => {
    if (engine.info.uuid !== step.uuid) {
      throw new AppError(
        "CONFLICT",
        `the object of the ledger '${engine.info.name}' holds another ledger of this name`,
      );
    }
    const outcome = doStep(sql, engine, step);
    const head = engine.reads.head();
    return outcome === undefined ? { head } : { head, outcome };
  });
}

function doStep(sql: Sql, engine: LedgerEngine, step: RestoreStep): ImportOutcome | undefined {
  switch (step.kind) {
    case "head":
      return undefined;
    case "logs": {
      const { texts, before, after } = step;
      const { lastLogId } = engine.reads.head();
      if (lastLogId !== after) {
        throw new AppError(
          "CONFLICT",
          `the log of the ledger '${engine.info.name}' ends with entry ${lastLogId}, and the entries come behind entry ${after}: another request has written some`,
        );
      }
      const outcome = engine.importLogs({ texts, before });
      if (outcome.taken > 0) forgetImportNotes(sql);
      return outcome;
    }
    case "origins":
      restoreOrigins(sql, step);
      engine.forgetRows();
      return undefined;
    case "finish":
      assertEnd(engine, step);
      restoreMarks(sql, step);
      return undefined;
  }
}

/** Throws `CONFLICT` where the log ends differently, and `VALIDATION` for marks behind its end. */
function assertEnd(engine: LedgerEngine, wanted: RestoredEnd): void {
  const { lastLogId, lastHash } = engine.reads.head();
  const { name } = engine.info;
  if (lastLogId !== wanted.lastLogId || lastHash !== wanted.lastHash) {
    throw new AppError(
      "CONFLICT",
      `the log of the ledger '${name}' ends with entry ${lastLogId}, and the backup says ${wanted.lastLogId}, or its hash differs`,
    );
  }
  const { publishedLogId, importedLogId = 0 } = wanted;
  if (publishedLogId > Math.max(0, lastLogId) || importedLogId > Math.max(0, lastLogId)) {
    throw new AppError("VALIDATION", "a mark is behind the end of the log");
  }
}
