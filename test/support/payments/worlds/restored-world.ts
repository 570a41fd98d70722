import { sql } from "drizzle-orm";
import { InitiationWorld } from "./initiation-world.ts";
import type { FoundMovement, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { decideReview } from "#modules/payments/looking/decide.ts";
import { type LookupStep, lookUp } from "#modules/payments/looking/look-up.ts";
import { readReview, type ShownReview } from "#modules/payments/looking/reviews.ts";
import { beginLookup } from "#modules/payments/lookups/lookup-rows.ts";
import type { ReviewDecided } from "#modules/payments/lookups/review-rows.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis } from "#platform/time.ts";

type ProviderKind = "generic" | "bankingcircle";

/**
 * A copy of another deployment with one connector, its initiations and its provider. What the original has paid after the moment of the copy
 * is what a test reports of the provider.
 */
export class RestoredWorld extends InitiationWorld {
  readonly #kind: ProviderKind;
  #armedMs = 0;
  /** Whether the deployment says that generic providers list everything. */
  listsAll = true;
  /** What the plugin is asked by a reference; absent for a provider that cannot be asked. */
  find: Pick<Plugin, "findMovement" | "findReversal"> = {};

  /** Whether the provider leaves the reference out, and answers every question with what `find` gives. */
  findsAll = false;

  /** `generic` shows references in its lists; `bankingcircle` shows none, and cannot be asked by one. */
  constructor(kind: ProviderKind = "generic") {
    super();
    this.#kind = kind;
    this.exec(`UPDATE payment_connectors SET provider = '${kind}'`);
  }

  static async open(kind?: ProviderKind): Promise<RestoredWorld> {
    const world = new RestoredWorld(kind);
    await world.storeAccounts();
    return world;
  }

  override get connector(): InstalledConnector {
    const { connector } = this.world;
    return { ...connector, id: { ...connector.id, provider: this.#kind } };
  }

  override get context(): ServiceContext {
    const { env, ...context } = super.context;
    const object = { move: async () => undefined, refresh: async () => undefined };
    const settings = { FLORIN_PAYMENTS_GENERIC_LISTS_ALL: String(this.listsAll) };
    const bindings = { ...env, ...settings, CONNECTORS: { getByName: () => object } };
    return { ...context, env: bindings as unknown as Env }; // the look-up uses only these members
  }

  /** The provider's plugin. It finds only what a reference of an order names, unless it `findsAll`. */
  get plugin(): Plugin {
    const { findMovement, findReversal } = this.find;
    return {
      ...this.provider.plugin,
      ...(findMovement && {
        findMovement: async (sought) => this.#named(sought, await findMovement(sought)),
      }),
      ...(findReversal && {
        findReversal: async (reversal) => this.#named(reversal, await findReversal(reversal)),
      }),
    };
  }

  #named({ reference }: { readonly reference: string }, found: FoundMovement): FoundMovement {
    const orders = this.rows(
      "SELECT reference FROM payment_initiations UNION ALL SELECT reference FROM payment_reversals",
    );
    const isKnown = this.findsAll || orders.some((order) => order["reference"] === reference);
    return isKnown || typeof found === "string" ? found : "none";
  }

  exec(text: string): void {
    this.world.d1.exec(text);
  }

  rows(text: string): Record<string, unknown>[] {
    return this.world.d1.rows(text);
  }

  /** Makes the deployment a restored copy from now on. */
  restore(): void {
    this.pass(1);
    const since = fromMillis(this.world.nowMs);
    this.exec(`DELETE FROM disarmament; DELETE FROM armed_connectors; DELETE FROM payment_lookups;
      INSERT INTO disarmament VALUES (1, '${since}', 'restored', '', 'i', 's', 'c', '${crypto.randomUUID()}')`);
    this.pass(600);
  }

  /** Arms the connector as an operator does who has stopped the original: the statements are those of `deployment/arming/change.ts`. */
  async arm({ isSkipped = false }: { readonly isSkipped?: boolean } = {}): Promise<void> {
    const { reference } = this.connector.id;
    this.#armedMs = this.world.nowMs;
    const now = fromMillis(this.#armedMs);
    this.exec(
      `INSERT INTO armed_connectors VALUES ('${reference}', 'id', '${now}', 'i', 's', 'c')`,
    );
    const order = { isSkipped, condition: sql`TRUE` };
    const [first, ...others] = beginLookup(this.context, reference, order);
    if (first !== undefined) await databaseOf(this.context.env).batch([first, ...others]);
  }

  /** Disarms everything, as an operator does. */
  disarm(): void {
    this.exec("DELETE FROM armed_connectors");
  }

  /** Ends a run of the schedule that fetches payments, which began now. */
  endRun(error: string | null = null): void {
    const { key } = this.connector;
    const now = fromMillis(this.world.nowMs);
    this.exec(`
      INSERT INTO payment_schedules (key, connector_key, task, created_at, next_at)
        VALUES (1, ${key}, 'FETCH_PAYMENTS', '${now}', '${now}') ON CONFLICT DO NOTHING;
      UPDATE payment_schedules SET last_error = ${error === null ? "last_error" : `'${error}'`}, next_at = '2026-12-01T00:00:00.000000Z';
      INSERT INTO payment_instances (schedule_key, created_at, updated_at, terminated_at, error)
        VALUES (1, '${now}', '${now}', '${now}', ${error === null ? "NULL" : `'${error}'`})`);
  }

  /** Takes the next step of the look-up: with a provider that shows no references, not before it may be asked. */
  look(): Promise<LookupStep> {
    const askFromMs = this.#armedMs + 60_000;
    if (this.#kind === "bankingcircle") this.world.nowMs = Math.max(this.world.nowMs, askFromMs);
    return lookUp(this.context, this.connector.id.reference, async () => this.plugin);
  }

  /** Lets the look-up end: its runs are complete, and the provider answers. */
  async lookToEnd(): Promise<LookupStep> {
    this.pass(61);
    this.endRun();
    return this.look();
  }

  /** Stores payments as a poll does. */
  async poll(...payments: readonly ProviderPayment[]): Promise<void> {
    await this.report(...payments);
    await completeReportedMovements(this.context, this.connector);
  }

  /** A payment that the provider lists with the reference of an order. */
  listed(reference: string, more: Partial<ProviderPayment> = {}) {
    return this.provider.paymentOf(`tx-${reference}`, {
      initiationReference: reference,
      createdAt: fromMillis(this.world.nowMs),
      sourceReference: "main",
      destinationReference: "landlord",
      ...more,
    });
  }

  async statusOf(id: OwnedId): Promise<string> {
    return (await this.get(id)).state.status;
  }

  /** The reviews that nobody has decided, oldest first. */
  async openReviews(): Promise<ShownReview[]> {
    const rows = this.rows("SELECT id FROM payment_reviews WHERE status = 'open' ORDER BY key");
    return Promise.all(rows.map(({ id }) => readReview(this.context, String(id))));
  }

  /** Decides as somebody about a review: the last one unless one is named. */
  async decide(decided: ReviewDecided, as = "bob", id?: string): Promise<void> {
    const [row] = this.rows("SELECT id FROM payment_reviews ORDER BY key DESC LIMIT 1");
    const { context } = this;
    const principal = { ...context.principal, subject: as };
    await decideReview({ ...context, principal }, id ?? String(row?.["id"]), decided);
  }

  /** Decides about the open review of the order with a reference. */
  async decideOn(reference: string, decided: ReviewDecided): Promise<void> {
    const reviews = await this.openReviews();
    const found = reviews.find(({ initiation }) => initiation.id.reference === reference);
    await this.decide(decided, "bob", found?.review.id);
  }

  /** The references of what this copy has sent. */
  get sent(): string[] {
    return [...this.provider.effects.keys()];
  }
}
