import { IngestWorld } from "./ingest-world.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  MovementResult,
  Plugin,
  PollResult,
} from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import {
  type CreatedInitiation,
  createInitiation,
  type NewInitiation,
} from "#modules/payments/initiations/create.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { allInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { claimMovements, nextMovementMs } from "#modules/payments/initiations/movement-rows.ts";
import { reverseInitiation } from "#modules/payments/initiations/reverse.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { execute } from "#modules/payments/movements/execute.ts";
import { MovementLoop } from "#modules/payments/movements/loop.ts";
import { sweepInitiations } from "#modules/payments/movements/sweep.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { findTask } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { ANONYMOUS, type ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { fromMillis } from "#platform/time.ts";
import { account, payment } from "#test/support/payments/provider-objects.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** The error of a killed process. */
export const KILLED = new Error("killed");

/**
 * A provider that moves money once for each reference, even for repeated requests. `answer` makes the answer after the money
 * has moved, and may throw.
 */
export class FakeProvider {
  /** The number of requests. */
  requests = 0;
  /** The moved amounts by reference. */
  readonly effects = new Map<string, bigint>();
  status: PaymentStatus = "SUCCEEDED";
  refundStatus: PaymentStatus = "REFUNDED";
  before: () => void = () => undefined;
  /** Makes the answer from the payment. */
  answer: (payment: ProviderPayment) => MovementResult = (made) => ({ payment: made });
  poll: (pollingId: string) => PollResult = () => ({ pending: true });

  readonly plugin: Plugin = {
    createPayout: async (movement) => this.#move(movement),
    pollPayout: async (pollingId) => this.poll(pollingId),
    reversePayout: async ({ reference, amount }) => {
      this.requests++;
      this.before();
      this.effects.set(reference, amount);
      const status = this.refundStatus;
      return payment(reference, { type: "PAYOUT", amount, status });
    },
  };

  #move({ reference, amount }: Movement): MovementResult {
    this.requests++;
    this.before();
    this.effects.set(reference, amount);
    return this.answer(payment(reference, { type: "PAYOUT", amount, status: this.status }));
  }

  paymentOf = (reference: string, more: Partial<ProviderPayment> = {}): ProviderPayment =>
    payment(reference, { type: "PAYOUT", status: this.status, ...more });
}

/** Initiations in D1 in the process of the test, with a provider. The process can be killed at any database step. */
export class InitiationWorld {
  readonly world = new IngestWorld();
  readonly provider = new FakeProvider();
  fourEyes = false;
  subject = "alice";
  /** The causation depth of new initiations: the number of triggers that led to them. */
  causationDepth = 0;
  /** The connectors whose objects were woken. */
  readonly woken: string[] = [];
  #count = 0;

  get connector(): InstalledConnector {
    return this.world.connector;
  }

  get context(): ServiceContext {
    const settings = { ...TEST_SETTINGS, FLORIN_PAYMENTS_FOUR_EYES: String(this.fourEyes) };
    const clock = { arm: async () => undefined, watch: async () => undefined };
    const bindings = {
      DB: this.world.d1.binding,
      CLOCK: { getByName: () => clock },
      CONNECTORS: {
        getByName: (reference: string) => ({
          move: async () => void this.woken.push(reference),
        }),
      },
      EVENTS: { sendBatch: async () => undefined },
    };
    return {
      env: { ...settings, ...bindings } as unknown as Env, // initiations use only these bindings
      principal: { ...ANONYMOUS, subject: this.subject },
      requestId: "test",
      causationDepth: this.causationDepth,
      clock: () => fromMillis(this.world.nowMs),
    };
  }

  async storeAccounts(): Promise<void> {
    const accounts = [account("main"), account("landlord")];
    await this.world.store(await this.world.prepareAccounts(accounts));
  }

  create(fields: Partial<NewInitiation> & { isSent?: boolean } = {}): Promise<CreatedInitiation> {
    const { id: connector } = this.connector;
    return createInitiation(this.context, {
      connector,
      reference: `po-${++this.#count}`,
      description: "rent",
      type: "PAYOUT",
      amount: 100n,
      asset: "EUR/2",
      source: { connector, reference: "main" },
      destination: { connector, reference: "landlord" },
      metadata: {},
      ...fields,
    });
  }

  async createApproved(fields: Partial<NewInitiation> = {}): Promise<OwnedId> {
    const { id } = await this.create(fields);
    await this.approve(id);
    return id;
  }

  approve(id: OwnedId): Promise<OwnedId> {
    return approveInitiation(this.context, id);
  }

  /** Creates an initiation that is paid; returns its id. */
  async createPaid(): Promise<OwnedId> {
    const id = await this.createApproved();
    await this.sweep();
    return id;
  }

  reverse(id: OwnedId, reference: string, amount: bigint) {
    const { metadata } = { metadata: { why: "mistake" } };
    const others = { description: "", asset: "EUR/2", metadata };
    return reverseInitiation(this.context, { initiation: id, reference, amount, ...others });
  }

  /** Moves due money as the connector's object does, and runs the sweep. Returns the time of the next due movement. */
  async sweep(plugin: Plugin = this.provider.plugin): Promise<number | undefined> {
    const { context } = this;
    const { reference } = this.connector.id;
    const loop = new MovementLoop({
      claim: (limit) => claimMovements(context, { reference, limit }),
      execute: (movement) => execute(context, async () => plugin, movement),
    });
    await loop.wake();
    await sweepInitiations(context);
    return nextMovementMs(context, reference);
  }

  pass(seconds: number): void {
    this.world.nowMs += seconds * 1000;
  }

  /** The statuses of all adjustments, oldest first. */
  async statusesOf(id: OwnedId): Promise<string[]> {
    const adjustments = await allInitiationAdjustments(this.context, await this.get(id));
    return adjustments.map(({ status }) => status).toReversed();
  }

  get(id: OwnedId): Promise<Initiation> {
    return getInitiation(this.context, id);
  }

  task(id: OwnedId): Promise<Task | undefined> {
    return findTask(this.context, id);
  }

  /** Stores states of payments as the provider reports them. */
  async report(...payments: readonly ProviderPayment[]): Promise<void> {
    const page = { connector: this.connector, payments };
    await this.world.store(await preparePayments(this.context, page));
  }

  count(table: string): number {
    const [row] = this.world.d1.rows(`SELECT count(*) AS count FROM ${table}`);
    return Number(row?.["count"]);
  }

  /** Kills `work` before or after its n-th database step. Returns whether `work` reached the step. */
  async killAt(step: number, when: "before" | "after", work: () => Promise<unknown>) {
    let steps = 0;
    let wasKilled = false;
    this.world.d1.onStep = (moment) => {
      if (wasKilled) throw KILLED;
      if (moment === "before") steps++;
      if (steps !== step || moment !== when) return;
      wasKilled = true;
      throw KILLED;
    };
    await work().catch(() => undefined);
    this.world.d1.onStep = () => undefined;
    return wasKilled;
  }
}

/** The message with which a call is refused. */
export const refusalOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (error: unknown) => (error instanceof AppError ? `${error.kind} ${error.message}` : "bug"),
  );

export const timeout = (): never => {
  throw new ConnectorError("unknown", "the provider has not answered in time");
};
