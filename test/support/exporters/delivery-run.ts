import { Delivery, type NextRun } from "#modules/exporters/delivery/delivery.ts";
import { type Progress, ProgressStore } from "#modules/exporters/delivery/progress.ts";
import type { Batching } from "#modules/exporters/drivers/batching.ts";
import type { LogItem } from "#modules/exporters/drivers/log-page.ts";
import type { PipelineSpec } from "#modules/exporters/store/pipeline-store.ts";
import { present } from "#platform/assert.ts";
import { systemClock } from "#platform/clock.ts";
import { AppError } from "#platform/errors.ts";
import { OPEN_GATE, type OutboundGate } from "#platform/http/outbound.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

/** The content of one call of a destination. */
export interface Sent {
  readonly config: string;
  readonly ids: readonly number[];
  readonly atMs: number;
}

const TABLE_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table'";

/** A pipeline whose ledger, destination and time the test controls. */
export class DeliveryRun {
  nowMs = Date.parse("2026-03-01T12:00:00Z");
  /** Ids of the ledger's entries; undefined for a deleted ledger. */
  log: number[] | undefined = [];
  batching: Batching = { itemsMax: undefined, flushAfterMs: 1000 };
  /** Returns the reason for which a batch is refused, or undefined. A test may also change the world in it, or throw. */
  respond: (ids: readonly number[]) => Promise<string | undefined> | string | undefined = () =>
    undefined;
  /** Resolves if batches may be sent now. */
  gate: OutboundGate = OPEN_GATE;
  readonly sent: Sent[] = [];
  readonly delivery: Delivery;
  #spec: PipelineSpec | undefined;
  readonly #sql: NodeSql;
  #progress: ProgressStore;

  constructor({ pageSize = 100, sql = new NodeSql() }: { pageSize?: number; sql?: NodeSql } = {}) {
    this.#sql = sql;
    this.#progress = new ProgressStore(this.#sql);
    this.delivery = new Delivery(
      {
        gate: () => this.gate(),
        spec: async () => this.#spec,
        readPage: async (_ledger, position = -1, countMax) => this.#readPage(position, countMax),
        open: ({ config }) => ({
          batching: this.batching,
          send: (_ledger, batch) => this.#send(String(config["name"]), batch),
        }),
        nowMs: () => this.nowMs,
        random: () => 0.5,
      },
      this.#progress,
      { pullMs: 5000, retryMs: 10_000, pageSize },
    );
    this.assign({});
  }

  get progress(): Progress {
    return present(this.#progress.read(), "it has begun");
  }

  /** Changes the pipeline's specification, as a client does. */
  assign(changes: { enabled?: boolean; resets?: number; config?: string; isGone?: boolean }): void {
    const { enabled = true, resets = 0, config = "first", isGone = false } = changes;
    const revision = (this.#spec?.revision ?? 0) + 1;
    this.#spec = {
      id: "p",
      ledger: "main",
      exporterId: "e",
      enabled,
      resets,
      createdAt: systemClock(),
      revision,
      openSetup: isGone ? undefined : () => ({ driver: "http", config: { name: config } }),
    };
    this.#progress.adopt({ id: "p", revision, resets }, this.nowMs);
  }

  /** Deletes the pipeline with everything that it stores. */
  remove(): void {
    this.#spec = undefined;
    this.#progress.forget();
    for (const { name } of this.#sql.all<{ name: string }>(TABLE_NAMES)) {
      this.#sql.all(`DROP TABLE ${name}`);
    }
  }

  /** Runs the delivery until it waits. Returns the waiting time in milliseconds, or undefined while it waits for a change. */
  async run(): Promise<number | undefined> {
    for (;;) {
      const next: NextRun = await this.delivery.run();
      if (next.kind === "never") return undefined;
      if (next.atMs > this.nowMs) return next.atMs - this.nowMs;
    }
  }

  async pass(ms: number): Promise<number | undefined> {
    this.nowMs += ms;
    return this.run();
  }

  get ids(): number[] {
    return this.sent.flatMap(({ ids }) => ids);
  }

  #readPage(position: number, countMax: number) {
    if (this.log === undefined) throw new AppError("LEDGER_NOT_FOUND", "ledger not found");
    const behind = this.log.filter((id) => id > position);
    const items = behind.slice(0, countMax).map((id) => ({ id, text: `{"id":${id}}` }));
    return { items, isLast: items.length === behind.length };
  }

  async #send(config: string, batch: readonly LogItem[]): Promise<string | undefined> {
    const ids = batch.map(({ id }) => id);
    this.sent.push({ config, ids, atMs: this.nowMs });
    return this.respond(ids);
  }
}

export const idsTo = (last: number): number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
