import type { StorageFigures } from "../storage.ts";
import worker, { LedgerObject as Product } from "#src/index.ts";

export {
  AttemptLimitObject,
  BackupObject,
  ClientQuotaObject,
  ClockObject,
  ConnectorObject,
  EndpointObject,
  EventStreamObject,
  InstanceRunnerObject,
  InstanceWorkflow,
  LedgerAuditObject,
  MatchingObject,
  PasswordHashObject,
  PipelineObject,
  SearchShardObject,
  StatementSourceObject,
  TriggerLaneObject,
} from "#src/index.ts";

/** The product with an additional route for the storage figures of its ledgers. */
export default {
  ...worker,
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(FIGURES_PATH)) return worker.fetch(request, env, ctx);
    const ledger = pathname.slice(FIGURES_PATH.length);
    // The binding has the type of the product's class, which the class of this file replaces.
    const object = env.LEDGERS.getByName(ledger) as unknown as DurableObjectStub<LedgerObject>;
    return Response.json(await object.figures());
  },
} satisfies ExportedHandler<Env>;

const FIGURES_PATH = "/api/bench/figures/";

/** A ledger that counts its written rows as the platform bills them. */
export class LedgerObject extends Product {
  readonly #counts: Counts;

  constructor(ctx: DurableObjectState, env: Env) {
    const counts = countWrites(ctx.storage);
    super(ctx, env);
    this.#counts = counts;
  }

  override confirmPublished(
    ...range: Parameters<Product["confirmPublished"]>
  ): ReturnType<Product["confirmPublished"]> {
    const before = this.#counts.rows;
    const confirmed = super.confirmPublished(...range); // The method writes before it returns its promise.
    this.#counts.confirmations += this.#counts.rows - before;
    return confirmed;
  }

  async figures(): Promise<StorageFigures> {
    return { ...this.#counts, bytes: this.ctx.storage.sql.databaseSize };
  }
}

interface Counts {
  rows: number;
  confirmations: number;
  alarms: number;
}

/** Counts the rows that statements write, and alarms, each of which is billed as a row. */
function countWrites(storage: DurableObjectStorage): Counts {
  const counts = { rows: 0, confirmations: 0, alarms: 0 };
  const { sql } = storage;
  const exec: typeof sql.exec = sql.exec.bind(sql);
  sql.exec = <Row extends Record<string, SqlStorageValue>>(
    statement: string,
    ...bindings: unknown[]
  ) => {
    const cursor = exec<Row>(statement, ...bindings);
    counts.rows += cursor.rowsWritten; // A writing statement has run to its end here.
    return cursor;
  };
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (...call: Parameters<typeof setAlarm>) => {
    counts.alarms++;
    return setAlarm(...call);
  };
  return counts;
}
