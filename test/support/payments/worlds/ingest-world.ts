import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import {
  type PaymentsPage,
  preparePayments,
} from "#modules/payments/payments/ingestion/payments.ts";
import { ANONYMOUS, type ServiceContext } from "#platform/context.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** D1 with connectors. Pages of a provider are stored in it as the polling engine does. */
export class IngestWorld {
  readonly d1 = new NodeD1();
  readonly connector: InstalledConnector;
  readonly other: InstalledConnector;
  /** The stored events in their order. */
  readonly events: { readonly id: string; readonly type: string; readonly payload: object }[] = [];
  nowMs = toMillis(at(0));

  constructor() {
    this.d1.migrate();
    this.connector = this.install("11111111-2222-4333-8444-555555555555");
    this.other = this.install("22222222-2222-4333-8444-555555555555");
  }

  get context(): ServiceContext {
    const clock = { arm: async () => undefined, watch: async () => undefined };
    const bindings = { DB: this.d1.binding, CLOCK: { getByName: () => clock } };
    return {
      env: { ...TEST_SETTINGS, ...bindings } as unknown as Env, // the preparation of pages uses only these members
      principal: ANONYMOUS,
      requestId: "test",
      clock: () => fromMillis(this.nowMs),
    };
  }

  install(reference: string): InstalledConnector {
    const [row] = this.d1.rows(
      `INSERT INTO payment_connectors (provider, reference, name, config, polling_period_ms, created_at)
       VALUES ('generic', ?, ?, '', 1000, ?) RETURNING key`,
      reference,
      reference,
      at(0),
    );
    return {
      key: Number(row?.["key"]),
      id: { provider: "generic", reference },
      name: reference,
      pollingPeriodMs: 1000,
      createdAt: at(0),
    };
  }

  prepareAccounts(accounts: readonly ProviderAccount[]): Promise<PreparedPage> {
    return prepareAccounts(this.context, { connector: this.connector, type: "INTERNAL", accounts });
  }

  prepareBalances(balances: readonly ProviderBalance[]): Promise<PreparedPage> {
    return prepareBalances(this.context, { connector: this.connector, balances });
  }

  preparePayments(
    payments: readonly ProviderPayment[],
    page: Partial<PaymentsPage> = {},
  ): Promise<PreparedPage> {
    return preparePayments(this.context, { connector: this.connector, payments, ...page });
  }

  /** Stores a page in one batch. An event with a known id counts as a repetition. */
  async store({ statements, events }: PreparedPage): Promise<void> {
    const [first, ...others] = statements;
    if (first !== undefined) await this.d1.db.batch([first, ...others]);
    for (const { event } of events) {
      if (this.events.some(({ id }) => id === event.id)) continue;
      const { id, type, payload } = event;
      this.events.push({ id, type, payload: payload as object }); // events of payments are objects
    }
  }
}
