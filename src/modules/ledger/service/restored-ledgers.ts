import type { LedgerHead, OriginFacts } from "#ledger-engine";
import { type Ledger, LedgerCatalogue, unknownLedger } from "#modules/catalogue/index.ts";
import { importInBatches } from "#modules/ledger/bulk/log-import.ts";
import { ledgerObject, READ_OF_LEDGER, TO_LEDGER } from "#modules/ledger/object-calls.ts";
import type {
  RestoredEnd,
  RestoredLog,
  RestoreStep,
} from "#modules/ledger/objects/restored-log.ts";
import { present } from "#platform/assert.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import {
  isRestoredPart,
  LEDGER_PART,
  noteRestoredPart,
} from "#platform/restoration/restored-parts.ts";

/**
 * A ledger whose log comes back from a backup. The catalogue has it already: its row is written before, and says its name, bucket and features,
 * and whether it is deleted. Imported entries publish nothing; `finish` sets up to where events were published, so that later ones are announced
 * when the restoration has ended.
 */
export class LedgerRestoring {
  readonly #ledger: Ledger;
  readonly #env: Pick<Env, "DB" | "LEDGERS">;

  private constructor(env: Pick<Env, "DB" | "LEDGERS">, ledger: Ledger) {
    this.#env = env;
    this.#ledger = ledger;
  }

  /** Throws `NOT_FOUND` for a ledger that the catalogue does not have. */
  static async find(env: Pick<Env, "DB" | "LEDGERS">, uuid: string): Promise<LedgerRestoring> {
    const ledger = await LedgerCatalogue.from(env).findByUuid(uuid);
    if (ledger === undefined) throw unknownLedger(uuid);
    return new LedgerRestoring(env, ledger);
  }

  async head(): Promise<LedgerHead> {
    return (await this.#step({ kind: "head", uuid: this.#ledger.uuid }, READ_OF_LEDGER)).head;
  }

  /** Whether the ledger was completed. */
  isComplete(): Promise<boolean> {
    return isRestoredPart({ env: this.#env }, { kind: LEDGER_PART, name: this.#ledger.uuid });
  }

  /**
   * Takes entries, as they arrive, behind the entry with the id `after`, or -1. Throws `CONFLICT` where the log ends elsewhere, because another
   * request writes it, and `IMPORT` for an entry that is refused; the entries before it are kept.
   */
  async takeLog(chunks: AsyncIterable<Uint8Array>, after: number): Promise<LedgerHead> {
    const { uuid } = this.#ledger;
    let last = after;
    await importInBatches(chunks, async ({ texts, before }) => {
      const step = { kind: "logs" as const, uuid, texts, before, after: last };
      const { head, outcome } = await this.#step(step, TO_LEDGER);
      last = head.lastLogId;
      return present(outcome, "a step with entries has an outcome");
    });
    return this.head();
  }

  /** Stores facts about entries that are there. They come in the order of the log, and a repetition does no harm. */
  async takeOrigins(facts: OriginFacts): Promise<LedgerHead> {
    const step = { kind: "origins" as const, uuid: this.#ledger.uuid, ...facts };
    return (await this.#step(step, READ_OF_LEDGER)).head;
  }

  /**
   * Completes the ledger, once: later calls change nothing. Objects that come back ask for its last entry. Throws `CONFLICT` where its log does
   * not end as the backup says.
   */
  async finish(restoration: string, end: RestoredEnd): Promise<LedgerHead> {
    const { uuid } = this.#ledger;
    if (await this.isComplete()) return this.head();
    const { head } = await this.#step({ kind: "finish", uuid, ...end }, READ_OF_LEDGER);
    const { lastLogId } = head;
    const part = { kind: LEDGER_PART, name: uuid, lastLogId };
    await noteRestoredPart({ env: this.#env }, restoration, part);
    return head;
  }

  #step(step: RestoreStep, call: ObjectCall): Promise<RestoredLog> {
    const { name, location } = this.#ledger;
    const object = ledgerObject(this.#env, name, location);
    return callObject(object.restore(this.#ledger, step), call);
  }
}
