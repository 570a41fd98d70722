import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { authCodes, authDeviceCodes } from "#modules/auth/grants/tables.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authSessions } from "#modules/auth/people/tables.ts";
import { hashSecret } from "#modules/auth/registry/client-secret.ts";
import { authClientSecrets } from "#modules/auth/tables.ts";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { listAllConnectors } from "#modules/payments/installs/list.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { rejectionStatements } from "#modules/payments/rejected/store.ts";
import { sweepSearch } from "#modules/search/follow/sweep.ts";
import { readState } from "#modules/search/query/state.ts";
import { webhookListener } from "#modules/webhooks/fan-out/event-listener.ts";
import { DeliveryService } from "#modules/webhooks/services/delivery-service.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { inReadingOrder } from "#platform/document/document.ts";
import { type Exchange, parseExchanges } from "#platform/document/exchanges.ts";
import { FailedRequestStore } from "#platform/failed-requests/store.ts";
import { unwrap } from "#platform/result.ts";
import { fromMillis } from "#platform/time.ts";
import { readOwnApiOf } from "#src/app.ts";
import { MODULES } from "#src/modules.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { armForTheNextFile } from "#test/support/deployment/arming.ts";
import { storeBucketFile } from "#test/support/deployment/bucket-backups.ts";
import { storeDeadLetter } from "#test/support/deployment/dead-letters.ts";
import { failedRequest } from "#test/support/deployment/failed-requests.ts";
import { BETWEEN_EXAMPLES } from "#test/support/deployment/restoring.ts";
import { insertedSchema } from "#test/support/ledger/schema-api.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { account, balance } from "#test/support/payments/provider-objects.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import { storeReview } from "#test/support/payments/reviews.ts";
import { api, bodyOf, send } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import {
  type DocumentOfExamples,
  type OperationOfExamples,
  Story,
} from "#test/support/platform/examples.ts";
import { storeMatchedBooks } from "#test/support/reconciliation/matched-books.ts";
import { eventFor } from "#test/support/webhooks/deliveries.ts";

/**
 * The examples of the API document are a story of the modules' requests in their order. The tests send the requests and compare
 * the answers with those of the files. `vitest -u` updates the answers; then read the diff.
 */
const story = new Story();

/** The status with which the endpoint of the webhook, which does not exist, answers. */
let endpointStatus = 200;
beforeAll(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(
    async () => new Response(null, { status: endpointStatus }),
  );
});
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());
// The examples disarm the deployment.
afterAll(armForTheNextFile);

const CONNECTOR = { provider: "generic", reference: "11111111-2222-4333-8444-555555555555" };
/** A connector that moves money. */
const MOVER = { provider: "dummypay", reference: "22222222-2222-4333-8444-555555555555" };

const PERSON = "99999999-2222-4333-8444-555555555555";

async function storeAccounts(...references: readonly string[]): Promise<void> {
  const context = systemContext(env, "test");
  const connector = await requireConnector(context, MOVER);
  const accounts = references.map((reference) => account(reference));
  await storePage(context, () =>
    prepareAccounts(context, { connector, type: "INTERNAL", accounts }),
  );
}

/** Stores a code of the authorization endpoint, as for a person who has logged in. */
async function storeCode(): Promise<void> {
  const code = {
    hash: hashToken("SplxlOBeZQQYbYS6WxSbIA"),
    clientId: "app",
    subject: PERSON,
    redirectUri: "https://app.example.com/callback",
    scopes: "openid email offline_access ledger:read",
    codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    authTime: 1_767_225_600,
    expiresMs: Date.now() + 3_600_000,
  };
  await databaseOf(env).insert(authCodes).values(code).onConflictDoNothing();
}

/** Lets a person allow all devices that wait. */
async function allowDevices(): Promise<void> {
  const allowed = { state: "approved", subject: PERSON, authTime: 1_767_225_600 } as const;
  await databaseOf(env)
    .update(authDeviceCodes)
    .set(allowed)
    .where(eq(authDeviceCodes.state, "pending"));
}

/** Stores a session and a passkey of a person. */
async function storeCredentials(): Promise<void> {
  const personId = "88888888-2222-4333-8444-555555555555";
  await databaseOf(env)
    .insert(authSessions)
    .values({
      hash: Buffer.from("Like a hash of a cookie of brows").toString("base64"),
      personId,
      authenticatedAt: fromMillis(Date.UTC(2026, 0, 1, 9)),
      expiresAt: fromMillis(Date.UTC(2126, 0, 1, 21)),
    });
  await databaseOf(env)
    .insert(authPasskeys)
    .values({ id: "kN3rX0p9Tq2bR7vYc5fJ1A", personId, publicKey: "", counter: 7 });
}

/** Waits until every instance waits for an event or has ended. */
const untilInstancesWait = () => untilNone("orchestration_instances", "due_at IS NOT NULL");

const noJobs = () => untilNone("payment_jobs", "TRUE");

const uuidOf = async (ledger: string): Promise<string> =>
  present(await LedgerCatalogue.from(env).find(ledger), "the ledger exists").uuid;

/** Events between the requests, by the operation of the example that comes next. */
const BEFORE: Readonly<Record<string, () => Promise<void>>> = {
  listUsers: async () => {
    const claims = { subject: "google|1234", email: "ada@example.com" };
    await storePerson({ id: PERSON, ...claims, scopes: ["ledger:read"] });
  },
  florinResetPassword: async () => {
    const id = "88888888-2222-4333-8444-555555555555";
    await storePerson({ id, subject: id, issuer: "", email: "grace@example.com" });
  },
  florinListUserSessions: storeCredentials,
  createToken: async () => {
    await storeCode();
    await allowDevices();
  },
  // The list shows which events are published.
  florinListSavedLedgers: () =>
    eventually(async () => {
      const head = unwrap(await env.LEDGERS.getByName("shop-v1").head(await uuidOf("shop-v1")));
      expect(head.publishedLogId).toBe(head.lastLogId);
    }),
  introspectToken: async () => {
    const clear = "4f9d5c1e-0a6b-4b0e-9a53-1c2d3e4f5a6b";
    const secret = { id: "5", clientId: "app", name: "", hash: hashSecret(clear) };
    const maker = toAuthorityColumn(FULL_AUTHORITY);
    const row = { ...secret, lastDigits: "5a6b", metadata: "{}", maker };
    await databaseOf(env).insert(authClientSecrets).values(row);
  },
  // An event comes, and the endpoint of the webhook refuses it.
  getDeliveries: async () => {
    endpointStatus = 410;
    const context = systemContext(env, "test");
    const event = eventFor({ eventTypes: ["ledger.committed_transactions"] });
    const sink = await webhookListener.open([], context);
    await sink?.([event], { source: "outbox", ids: [event.id] });
    await eventually(async () => {
      const failed = { statuses: ["failed"], limit: 10 } as const;
      expect((await DeliveryService.from(context).list(failed)).data).toHaveLength(1);
    });
    endpointStatus = 200;
  },
  // The connectors have fetched everything, and are idle.
  v3ListConnectorScheduleInstances: () => untilNone("payment_schedules", "last_items IS NULL"),
  getConnectorHealth: () => untilNone("payment_schedules", "instance_key IS NOT NULL"),
  // An item of a provider is set aside.
  listRejectedItems: async () => {
    const context = systemContext(env, "test");
    const connectors = await listAllConnectors(context);
    const connector = present(
      connectors.find(({ id }) => id.provider === "dummypay"),
      "a connector is installed",
    );
    const at = { scheduleKey: 0, fetchKey: 0, state: null, instanceKey: 0, isRetry: false };
    const place = { ...at, task: "FETCH_PAYMENTS" };
    const raw = '{"id":"tx-17","amount":"1.5"}';
    const reason = "a transaction: 'amount' of the provider is not valid";
    const item = { id: "tx-17", raw, reason };
    const [statement] = await rejectionStatements(context, { connector, place }, [item]);
    await statement;
  },
  // The deployment was restored, and a payment could not be looked up.
  florinListPaymentReviews: () => storeReview("rent-2026-06"),
  v3GetTask: () => untilNone("payment_tasks", "status = 'PROCESSING'"),
  listAllConnectors: () => untilNone("payment_connectors", "deleted_at IS NOT NULL"),
  // The jobs of the user and of the bank account are done.
  forwardBankAccount: noJobs,
  v3GetPaymentServiceUserLinkAttemptFromConnectorID: noJobs,
  v3DeletePaymentServiceUserConnectionFromConnectorID: noJobs,
  v3DeletePaymentServiceUserConnector: noJobs,
  v3DeletePaymentServiceUser: noJobs,
  v3CreateAccount: async () => {
    await storeConnector(CONNECTOR);
  },
  // The connector has fetched a balance.
  v3GetAccountBalances: async () => {
    const context = systemContext(env, "test");
    const connector = await requireConnector(context, CONNECTOR);
    const balances = [{ ...balance(123_000n, 0), accountReference: "acc-1" }];
    await storePage(context, () => prepareBalances(context, { connector, balances }));
  },
  // Each account of the pool has a balance at the moment of the example.
  reconcile: async () => {
    await env.DB.prepare(`
      INSERT INTO payment_balances
        (connector_key, account_reference, asset, amount, created_at, last_updated_at, is_open)
      SELECT connector_key, reference, 'EUR/2', '0', '2026-03-01T00:00:00.000000Z', '2026-03-04T00:00:00.000000Z', 0
      FROM payment_accounts WHERE type = 'INTERNAL'`).run();
  },
  // The connector has fetched an order and a conversion.
  v3ListOrders: async () => {
    const context = systemContext(env, "test");
    const connector = await requireConnector(context, CONNECTOR);
    await storePage(context, () => prepareOrders(context, { connector, orders: [order()] }));
    const conversions = [conversion()];
    await storePage(context, () => prepareConversions(context, { connector, conversions }));
  },
  florinCreateBooking: async () => {
    for (const ledger of ["payments", "payments-again"]) {
      await new LedgerClient(systemContext(env, "test"), ledger).create();
      await insertedSchema(ledger, "v1", MIRROR_SCHEMA);
    }
  },
  florinListBookings: () => untilBooked(),
  florinResumeBooking: () => untilBooked(),
  v3InitiatePayment: async () => {
    await storeConnector({ ...MOVER, config: { directory: "examples" } });
    await storeAccounts("main", "landlord");
  },
  // The money of an approved initiation has moved, or its movement has failed.
  v3ListPaymentInitiationAdjustments: () => untilNone("payment_movements", "true"),
  v3RejectPaymentInitiation: () => untilNone("payment_movements", "true"),
  v3RetryPaymentInitiation: () => untilNone("payment_movements", "true"),
  v2CreateWorkflow: async () => {
    await new LedgerClient(systemContext(env, "test"), "shop").create();
  },
  v2ListInstances: untilInstancesWait,
  v2GetInstanceHistory: untilInstancesWait,
  v2ListTriggersOccurrences: () => untilFired("order-7"),
  listTriggersOccurrences: () => untilFired("order-8"),
  listInstances: untilInstancesWait,
  getInstanceHistory: untilInstancesWait,
  // A user of the books that are reconciled has money.
  createPolicy: async () => {
    const client = new LedgerClient(systemContext(env, "test"), "safeguarding");
    await client.create();
    const posting = { source: "world", destination: "users:42", asset: "EUR/2", amount: 12_300n };
    const transaction = { postings: [posting], timestamp: "2026-03-02T09:00:00Z" };
    await client.commit(transaction, { idempotencyKey: "examples" });
  },
  florinCreateMatching: storeMatchedBooks,
  florinReadMatchingRun: () => untilNone("reconciliation_matching_runs", "state <> 'done'"),
  // As if four eyes had been needed when the write-offs were asked for.
  florinConfirmCorrection: untilAsked,
  florinRefuseCorrection: untilAsked,
  // The index has followed everything.
  search: async () => {
    await eventually(async () => {
      const body = { target: "TRANSACTION", ledgers: ["shop"], terms: ["order-8", "order-7"] };
      const found = await api("/api/search/", { body: { ...body, policy: "OR" } });
      expect(await bodyOf(found)).toMatchObject({ cursor: { total: { value: 2 } } });
    });
  },
  florinReadSearchState: async () => {
    const context = { ...systemContext(env, "test"), readOwnApi: readOwnApiOf(env) };
    await eventually(async () => {
      await sweepSearch(context);
      const { shards } = await readState(context);
      expect(shards.map(({ serving }) => serving?.behindCount)).toEqual(shards.map(() => 0));
      // The end of a restoration, which is an example as well, has begun to build a new index.
      expect(shards.filter(({ building }) => building !== undefined)).toEqual([]);
    });
  },
  ...BETWEEN_EXAMPLES,
  florinListFailedRequests: storeFailedRequest,
  florinReadFailedRequest: storeFailedRequest,
  florinListDeadLetters: storeDeadLetter,
  florinListBucketFiles: storeBucketFile,
  // The account that the transfer lacked is stored.
  retryTransferInitiation: () => storeAccounts("new-landlord"),
};

/** Lets all corrections wait for a second person. */
async function untilAsked(): Promise<void> {
  await env.DB.prepare("UPDATE reconciliation_corrections SET state = 'waiting'").run();
}

/** Stores a request that has failed. */
async function storeFailedRequest(): Promise<void> {
  const row = failedRequest({ requestId: "8c1f6f6e-6f0a-4d3e-9a53-0d4f6a9a6f11" });
  await FailedRequestStore.from(env).store([row], { more: new Map(), ofOthers: undefined }, 1000);
}

/** Commits a transaction, and waits until the trigger that is set on it has fired. */
async function untilFired(reference: string): Promise<void> {
  const postings = [{ source: "world", destination: "orders", asset: "EUR/2", amount: 500 }];
  const body = { reference, postings, metadata: { user: "42" } };
  await api("/api/ledger/v2/shop/transactions", { body });
  await eventually(async () => {
    const pattern = `%${reference}%`;
    const rows = await env.DB.prepare(
      "SELECT 1 FROM orchestration_occurrences WHERE state = 'done' AND event LIKE ?",
    )
      .bind(pattern)
      .all();
    expect(rows.results).toHaveLength(1);
  });
  await untilInstancesWait();
}

/** Waits until bookings have looked at all stored payments. */
const untilBooked = (): Promise<void> =>
  untilNone("payment_bookings", "position < (SELECT max(key) FROM payment_adjustments)");

/** Waits until no row of a table meets a condition. */
const untilNone = (table: string, condition: string): Promise<void> =>
  eventually(async () => {
    const rows = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE ${condition}`).all();
    expect(rows.results).toEqual([]);
  });

test.each(inReadingOrder(MODULES).map((module) => [module.name, module.examples] as const))(
  "the examples of %s are what the server answers",
  async (name, examples) => {
    const played: string[] = [examples.split(/^## /m)[0]?.trimEnd() ?? ""];
    for (const exchange of parseExchanges(examples)) {
      const { operationId, title } = exchange;
      await BEFORE[operationId]?.();
      const heading = title === undefined ? operationId : `${operationId}: ${title}`;
      played.push(`## ${heading}\n\n${await story.play(exchange)}`);
    }
    const file = `../../../src/modules/${name}/http/examples.md`;
    await expect(`${played.join("\n\n")}\n`).toMatchFileSnapshot(file);
  },
);

describe("the document", () => {
  let operations: (OperationOfExamples & { method: string })[];
  let exchanges: readonly Exchange[];

  beforeAll(async () => {
    const { paths } = (await bodyOf(await send("/openapi.json"))) as DocumentOfExamples; // the server answers this shape
    operations = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method })),
    );
    exchanges = MODULES.flatMap(({ examples }) => parseExchanges(examples));
  });

  test("the API document has an example of a success for every operation", () => {
    const shown = new Set(
      exchanges.filter(({ answer }) => /^[23]/.test(answer.start)).map((item) => item.operationId),
    );
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });

  // GET requests need no example of a body: browsers cannot send one, and filters are also a query parameter.
  test("the API document shows a body for every body that an operation takes or answers", () => {
    const missing = operations.flatMap(({ method, operationId, requestBody, responses }) => {
      const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
      const sent = method === "get" || method === "head" ? undefined : requestBody;
      return [sent, ...answers.map(([, answer]) => answer)].flatMap((message) =>
        Object.entries(message?.content ?? {}).flatMap(([contentType, { examples }]) =>
          examples === undefined ? [`${operationId} ${contentType}`] : [],
        ),
      );
    });
    expect(missing).toEqual([]);
  });

  test("the API document declares the status of every example", () => {
    const declared = new Map(
      operations.map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
    );
    const wrong = exchanges.filter(
      ({ operationId, answer }) => declared.get(operationId)?.includes(answer.start) !== true,
    );
    expect(wrong).toEqual([]);
  });
});
