import * as fc from "fast-check";
import { expect } from "vitest";
import { EXPANDED, TestLedger, WITH_VOLUMES } from "./fixtures.ts";
import { answerAudit, type AuditReport, LedgerAudit } from "#ledger-engine/audit/audit.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { present } from "#platform/assert.ts";
import { attempt } from "#platform/result.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  checkAgainstModel,
  type LedgerUnderTest,
} from "#test/support/ledger-engine/model/agreement.ts";
import { type Step, steps } from "#test/support/ledger-engine/model/steps.ts";

/**
 * Takes ledgers on `node:sqlite` and the naive model through random steps, and audits each ledger at the end. Returns
 * the number of commands.
 */
export async function checkRuns(options: { runs: number; stepsMax: number }): Promise<number> {
  let commands = 0;
  const property = fc.asyncProperty(
    steps(options.stepsMax),
    fc.boolean(),
    async (run, isStrict) => {
      const ledger = new TestLedger({
        settings: { schemas: { isStrict, report: () => undefined } },
      });
      commands += run.reduce((sum, step) => sum + commandsOf(step), 0);
      await checkAgainstModel({ ...underTest(ledger), isStrict }, run);
      expect(audited(ledger).differences).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: options.runs });
  return commands;
}

type Audited = Pick<TestLedger, "sql" | "engine">;

/** Audits a ledger: compares it with a replay of its log. */
export const audited = (ledger: Audited): AuditReport => auditInto(new NodeSql(), ledger);

/**
 * Audits a ledger time and again, as `audited` does, in one database that each audit leaves as empty as it was. Its tables are made and its
 * statements are prepared only once, which takes half of the time of an audit of a small ledger.
 */
export function auditsOf(ledger: Audited): () => AuditReport {
  const sql = new NodeSql();
  LedgerEngine.create(sql, ledger.engine.info);
  const undo = new Error("the replay is undone");
  return () => {
    let report: AuditReport | undefined;
    try {
      sql.transaction(() => {
        report = auditInto(sql, ledger);
        throw undo;
      });
    } catch (error) {
      if (error !== undo) throw error;
    }
    return present(report, "an audit ends with a report");
  };
}

function auditInto(sql: NodeSql, ledger: Audited): AuditReport {
  const audit = new LedgerAudit(sql, ledger.engine.info);
  while (audit.report.status === "running") {
    audit.step((request) => answerAudit(ledger.sql, request));
  }
  return audit.report;
}

function commandsOf(step: Step): number {
  if (step.kind === "bulk") return step.writes.length;
  return step.kind === "write" || step.kind === "repeat" ? 1 : 0;
}

/** Adapts a ledger on `node:sqlite` to the comparison with the model. */
export const underTest = (ledger: TestLedger): LedgerUnderTest => ({
  start: ledger.now,
  execute: async (command, options) => attempt(() => ledger.engine.execute(command, options)),
  executeBulk: async (elements, options) => ledger.engine.executeBulk(elements, options),
  listTransactions: async (query) => ledger.engine.reads.listTransactions(query, EXPANDED),
  listAccounts: async (query) => ledger.engine.reads.listAccounts(query, WITH_VOLUMES),
  readLogs: async () => ledger.logs(),
  evict: async () => {
    ledger.open();
  },
  wait: (seconds) => {
    ledger.now = fromMicros(toMicros(ledger.now) + BigInt(seconds) * 1_000_000n);
  },
});
