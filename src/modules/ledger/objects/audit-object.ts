import { DurableObject } from "cloudflare:workers";
import { deleteResult, findResult, saveResult, type DatedReport } from "./audit-result.ts";
import {
  AUDIT_STEPS,
  LedgerAudit,
  parseProgress,
  isCurrent,
  storedUuid,
  type AuditAnswer,
  type AuditReport,
  type AuditRequest,
  type LedgerInfo,
} from "#ledger-engine";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { objectSlices } from "#modules/ledger/answers/slice-queue.ts";
import { SliceSizer } from "#modules/ledger/answers/slice-sizer.ts";
import { systemClock } from "#platform/clock.ts";
import { stringifyJson } from "#platform/json.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject } from "#platform/objects/call.ts";
import { asResult, type Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** How long one call works before it answers, in milliseconds. */
const WORK_MS = 5000;

/**
 * The audit of one ledger: a copy that is rebuilt from the log, beside the ledger, which goes on working. A call works for a while, and the
 * next call goes on. When the report is complete, the copy is deleted, the catalogue learns whether the ledger is consistent, and the
 * result is kept until the next one. A crash in between loses the result, and the next audit begins anew and records its own.
 */
export class LedgerAuditObject extends DurableObject<Env> {
  readonly #sql: Sql;
  /** The work comes in slices, because the ledger may share the thread of this object. */
  readonly #slices = objectSlices();
  /** Sizes of slices: entries to replay, rows to compare, and accounts to sum up. */
  readonly #entries = new SliceSizer({ first: 50, least: 5, most: 2000 });
  readonly #rows = new SliceSizer({ first: 200, least: 10, most: 5000 });
  readonly #accounts = new SliceSizer({ first: 200, least: 10, most: 5000 });
  #running: Promise<Result<DatedReport>> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
  }

  /** Starts or continues the audit. Calls at the same time share its work and its answer. */
  async audit(info: LedgerInfo): Promise<Result<DatedReport>> {
    this.#running ??= this.#work(info).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The result of the last audit of the ledger with an id that ended. */
  last(uuid: string): Result<Required<DatedReport> | undefined> {
    const result = findResult(this.#sql);
    if (result?.uuid !== uuid) return { ok: true, value: undefined };
    const { report, at } = result;
    return { ok: true, value: { report, at } };
  }

  /** Deletes what is left of the audits of a ledger that is purged. The audit of another ledger of the same name is left alone. */
  async purge(uuid: string): Promise<void> {
    await this.#running?.catch(() => undefined);
    const stored = storedUuid(this.#sql);
    const isLast = findResult(this.#sql)?.uuid === uuid;
    if (stored === uuid || (stored === undefined && isLast)) await this.ctx.storage.deleteAll();
    else if (isLast) deleteResult(this.#sql);
  }

  async #work(info: LedgerInfo): Promise<Result<DatedReport>> {
    const stored = storedUuid(this.#sql);
    // A copy that another version of Florin has begun has tables of another form.
    const isUsable = stored === info.uuid && isCurrent(this.#sql);
    if (stored !== undefined && !isUsable) await this.#deleteCopy();
    const audit = this.#open(info);
    const ledger = objectAt(this.env, this.env.LEDGERS, info.name);
    const endMs = Date.now() + WORK_MS;
    while (audit.report.status === "running" && Date.now() < endMs) {
      const request = audit.next({ ...AUDIT_STEPS, rows: this.#rows.size });
      if (request === undefined) {
        await this.#sum(audit);
        continue;
      }
      const answer = await asResult(
        callObject(ledger.answerAudit(info.uuid, request), {
          object: "ledger",
          isRepeatable: true,
        }),
      );
      if (!answer.ok && answer.failure.kind === "OVERLOADED") {
        this.#save(info, audit);
        return answer;
      }
      if (!answer.ok) {
        // The ledger is deleted. The copy may be ahead of the saved progress, so that the next audit starts from the beginning.
        await this.#deleteCopy();
        return answer;
      }
      await this.#take(audit, request, answer.value);
    }
    const { report } = audit;
    if (report.status !== "running") return { ok: true, value: await this.#end(info, report) };
    this.#save(info, audit);
    return { ok: true, value: { report } };
  }

  /** Keeps the report of an audit that has ended. Calls wait for each other, so that the last result is that of the last audit. */
  async #end({ uuid }: LedgerInfo, report: AuditReport): Promise<DatedReport> {
    const at = systemClock();
    await this.#deleteCopy();
    const isConsistent = report.status === "consistent";
    await LedgerCatalogue.from(this.env).recordVerification(uuid, { isConsistent, at });
    saveResult(this.#sql, { uuid, report, at });
    return { report, at };
  }

  async #deleteCopy(): Promise<void> {
    const result = findResult(this.#sql);
    await this.ctx.storage.deleteAll();
    if (result !== undefined) saveResult(this.#sql, result);
  }

  async #take(audit: LedgerAudit, request: AuditRequest, answer: AuditAnswer): Promise<void> {
    const { page, digest } = answer;
    for (let from = 0; from < page.rows.length && audit.report.status === "running";) {
      from += await this.#slices.run(this.#entries, (size) => {
        const rows = page.rows.slice(from, from + size);
        audit.replay([{ ...page, rows }]);
        return { value: rows.length, done: rows.length };
      });
    }
    if (!page.isLast) return;
    await this.#slices.run(this.#rows, () => {
      audit.compare(request, answer);
      return { value: undefined, done: digest?.rows ?? 0 };
    });
  }

  #sum(audit: LedgerAudit): Promise<void> {
    return this.#slices.run(this.#accounts, (size) => ({ value: audit.sum(size), done: size }));
  }

  #open(info: LedgerInfo): LedgerAudit {
    this.#sql.all(
      "CREATE TABLE IF NOT EXISTS audit (one INTEGER PRIMARY KEY CHECK (one = 1), progress TEXT NOT NULL) STRICT",
    );
    const [saved] = this.#sql.all<{ progress: string }>("SELECT progress FROM audit");
    return new LedgerAudit(
      this.#sql,
      info,
      saved === undefined ? undefined : parseProgress(saved.progress),
    );
  }

  #save({ name }: LedgerInfo, audit: LedgerAudit): void {
    if (this.ctx.id.name !== name) throw new Error("an audit object is of one ledger");
    this.#sql.all(
      "INSERT INTO audit (one, progress) VALUES (1, ?) ON CONFLICT DO UPDATE SET progress = excluded.progress",
      stringifyJson(audit.progress),
    );
  }
}
