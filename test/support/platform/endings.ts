import { env } from "cloudflare:workers";
import { Authenticator } from "#test/support/auth/authenticator.ts";
import { authorizeUrl, freshApp, freshPerson, logIn } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { addPasskey } from "#test/support/auth/takeover.ts";
import { underWay } from "#test/support/deployment/restoring.ts";
import { EXPORTERS, freshExporter, freshPipeline } from "#test/support/exporters/pipelines.ts";
import { freshLedger, inLedger, pay, post } from "#test/support/ledger/api.ts";
import { ledgerWith } from "#test/support/ledger/schema-api.ts";
import { newTrigger, newWorkflow, TRIGGERS } from "#test/support/orchestration/triggers.ts";
import { storeConnector, type StoredConnector } from "#test/support/payments/connectors.ts";
import { installDummypay } from "#test/support/payments/installs.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { RECONCILIATION, UNKNOWN } from "#test/support/reconciliation/books.ts";
import { MATCHINGS, newMatching } from "#test/support/reconciliation/matchings.ts";
import { createRule, thresholdOf } from "#test/support/reconciliation/rules.ts";
import { SOURCES } from "#test/support/reconciliation/sources.ts";
import { lineOf, newStatementSource, uploaded } from "#test/support/reconciliation/uploads.ts";
import { insert as insertWebhook } from "#test/support/webhooks/configs.ts";

/** A request that deletes, ends or pauses a thing that was made for it. */
export interface Ending {
  readonly path: string;
  /** The method of the request, by default `DELETE`. */
  readonly method?: "POST" | "PUT";
  /** The token of the request, by default one with all scopes. */
  readonly bearer?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The body of a request that is sent as JSON. */
  readonly json?: object;
  /**
   * The action of the request's audit entry; absent for a request without an audit entry in D1, such as a write that is an
   * entry of a ledger's log.
   */
  readonly action?: string;
}

const V1 = "/api/payments";
const V3 = "/api/payments/v3";
const FLORIN = "/api/florin/v1/payments";
const ORCHESTRATION = "/api/orchestration";

/** The id in the answer to a creation. */
async function idOf(path: string, body: object): Promise<string> {
  const answer = await api(path, { body });
  if (!answer.ok) throw new Error(await answer.text());
  const { data } = await answer.json<{ data: { id: string } | string }>();
  return typeof data === "string" ? data : data.id;
}

const policyId = (): Promise<string> =>
  idOf(`${RECONCILIATION}/policies`, {
    name: freshName(),
    ledgerName: "main",
    paymentsPoolID: UNKNOWN,
  });

const copyId = (): Promise<string> => idOf("/api/florin/v1/backup/database-copies", {});

/** The end of a path to the copy of an object. */
async function objectCopy(): Promise<string> {
  const backup = await idOf("/api/florin/v1/backup", {});
  const object = `backup=${backup}&class=InstanceRunnerObject&name=runner`;
  return `${await idOf(`/api/florin/v1/backup/objects/copies?${object}`, {})}?${object}`;
}

const clientId = async (): Promise<string> => (await freshApp()).id;

async function quotaOfClient(): Promise<string> {
  const path = `/api/florin/v1/clients/${await clientId()}/quota`;
  await api(path, { method: "PUT", body: { streams: 1 } });
  return path;
}

const poolId = (): Promise<string> =>
  idOf(`${V3}/pools`, { name: freshName(), query: { $match: { id: "none" } } });

/** The end of a path to an account in a pool. */
async function poolMember(): Promise<string> {
  const { text: connectorID } = await storeConnector();
  const accountID = await idOf(`${V3}/accounts`, {
    reference: freshName(),
    connectorID,
    createdAt: "2026-01-01T00:00:00Z",
    accountName: "Main",
    type: "INTERNAL",
  });
  const pool = await idOf(`${V3}/pools`, { name: freshName(), accountIDs: [accountID] });
  return `${pool}/accounts/${accountID}`;
}

async function initiationId(): Promise<string> {
  const connector = await storeConnector();
  const answer = await api(`${V3}/payment-initiations`, { body: initiationOf(connector) });
  if (!answer.ok) throw new Error(await answer.text());
  const { data } = await answer.json<{ data: { paymentInitiationID: string } }>();
  return data.paymentInitiationID;
}

const initiationOf = ({ text: connectorID, idOf: ownedId }: StoredConnector) => ({
  reference: freshName("po"),
  connectorID,
  description: "rent",
  type: "PAYOUT",
  amount: 1000,
  asset: "EUR/2",
  sourceAccountID: ownedId("main"),
  destinationAccountID: ownedId("landlord"),
  scheduledAt: "2126-01-01T00:00:00Z",
});

async function bookingPath(): Promise<string> {
  const { text: connectorID } = await storeConnector();
  const ledger = await ledgerWith(MIRROR_SCHEMA);
  const rules = { connectorID, ledger, schemaVersion: "v1", template: "mirror" };
  return `${FLORIN}/bookings/${await idOf(`${FLORIN}/bookings`, rules)}`;
}

async function rejectedItem(): Promise<string> {
  const { key, text } = await storeConnector();
  const row = await env.DB.prepare(
    `INSERT INTO payment_rejected_items
       (connector_key, schedule_key, fetch_key, task, item_id, raw, reason, bytes, created_at, tried_at, instance_key)
     VALUES (?, 0, 0, 'webhook', 'item', '', 'odd', 0, '2026-01-01', '2026-01-01', 0) RETURNING key`,
  )
    .bind(key)
    .first<{ key: number }>();
  return `${FLORIN}/connectors/${text}/rejected/${row?.key ?? 0}`;
}

const userPath = async (): Promise<string> =>
  `${V3}/payment-service-users/${await idOf(`${V3}/payment-service-users`, { name: "Ada" })}`;

const userOfConnector = async (): Promise<string> =>
  `${await userPath()}/connectors/${(await storeConnector()).text}`;

async function bucket(): Promise<string> {
  const name = freshName("bucket");
  await api(`/api/ledger/v2/${freshName()}`, { body: { bucket: name } });
  return name;
}

async function ledgerWithTransaction(): Promise<string> {
  const ledger = await freshLedger();
  await post(ledger, pay("world -> bank", 1, { metadata: { key: "value" } }));
  await inLedger(ledger, "/accounts/bank/metadata", { body: { key: "value" } });
  await inLedger(ledger, "/metadata", { method: "PUT", body: { key: "value" } });
  return ledger;
}

async function pipeline(): Promise<string> {
  const ledger = await freshLedger();
  return `/api/ledger/v2/${ledger}/pipelines/${await freshPipeline(ledger, await freshExporter("noop"))}`;
}

/** The id of an instance that waits for an event. */
async function instanceId(): Promise<string> {
  const workflow = await newWorkflow([{ wait_event: { event: "never" } }]);
  return idOf(`${ORCHESTRATION}/v2/workflows/${workflow}/instances`, {});
}

/** The id of a message that a queue has given up. */
async function deadLetterId(): Promise<string> {
  const row = await env.DB.prepare(
    `INSERT INTO dead_letters (key, queue, body, state, first_seen, last_seen, arrivals, retries)
     VALUES (?, 'florin-events', 'null', 'waiting', '2026-01-01', '2026-01-01', 1, 0) RETURNING id`,
  )
    .bind(freshName())
    .first<{ id: number }>();
  return String(row?.id);
}

async function secretPath(): Promise<string> {
  const secrets = `/api/auth/clients/${await clientId()}/secrets`;
  return `${secrets}/${await idOf(secrets, { name: "s" })}`;
}

/** The end of a path to a credential of a person who has logged in and added a passkey. */
async function credentialPath(kind: "sessions" | "passkeys"): Promise<string> {
  const person = await freshPerson("ledger:read");
  const visitor = new PageVisitor();
  await logIn(visitor, authorizeUrl(await freshApp()), person);
  await addPasskey(visitor, new Authenticator());
  const path = `${person.id}/${kind}`;
  const { data } = await (
    await api(`/api/florin/v1/users/${path}`)
  ).json<{ data: [{ id: string }] }>();
  return `${path}/${data[0].id}`;
}

const personId = async (): Promise<string> => (await freshPerson("ledger:read")).id;

/** A request whose path ends with the id of a new thing. */
const at =
  (path: string, id: () => Promise<string>, rest: Omit<Ending, "path"> = {}) =>
  async (): Promise<Ending> => ({ ...rest, path: `${path}${await id()}` });

const after = (
  id: () => Promise<string>,
  end: string,
  rest: Omit<Ending, "path"> = {},
): (() => Promise<Ending>) => at("", async () => `${await id()}${end}`, rest);

/**
 * All operations of the API that delete, end, pause or revoke a thing, by their operation ids. They have to work in a full
 * database, because they make room or stop harm.
 */
export const ENDINGS: Readonly<Record<string, () => Promise<Ending>>> = {
  deleteClient: at("/api/auth/clients/", clientId, { action: "auth.client.delete" }),
  deleteSecret: at("", secretPath, { action: "auth.secret.delete" }),
  florinDeleteClientQuota: after(quotaOfClient, "", { action: "auth.client.quota.delete" }),
  florinDeleteUser: at("/api/florin/v1/users/", personId, { action: "auth.person.delete" }),
  florinEndUserSession: at("/api/florin/v1/users/", () => credentialPath("sessions"), {
    action: "auth.session.delete",
  }),
  florinRemoveUserPasskey: at("/api/florin/v1/users/", () => credentialPath("passkeys"), {
    action: "auth.passkey.delete",
  }),
  florinResetPassword: after(
    async () => `/api/florin/v1/users/${await personId()}`,
    "/password-reset",
    { method: "POST", action: "auth.person.reset" },
  ),
  florinCreateSignInLink: async () => ({
    path: "/api/florin/v1/sign-in-links",
    method: "POST",
    json: { personId: await personId() },
    action: "auth.person.sign-in-link",
  }),
  revokeToken: async () => ({
    path: "/api/auth/revoke",
    method: "POST",
    form: { token: "unknown", client_id: await clientId() },
  }),
  florinDropDeadLetter: at("/api/florin/v1/dead-letters/", deadLetterId, {
    action: "deployment.dead-letter.delete",
  }),
  v2DeleteBucket: at("/api/ledger/v2/_/buckets/", bucket, { action: "ledger.bucket.delete" }),
  v2DeleteExporter: at(`${EXPORTERS}/`, () => freshExporter("noop"), {
    action: "exporters.exporter.delete",
  }),
  v2DeletePipeline: at("", pipeline, { action: "exporters.pipeline.delete" }),
  v2StopPipeline: after(pipeline, "/stop", { method: "POST", action: "exporters.pipeline.stop" }),
  v2ResetPipeline: after(pipeline, "/reset", {
    method: "POST",
    action: "exporters.pipeline.reset",
  }),
  v2DeleteLedgerMetadata: async () => ({
    path: `/api/ledger/v2/${await ledgerWithTransaction()}/metadata/key`,
    action: "ledger.ledger.delete-metadata",
  }),
  v2DeleteAccountMetadata: async () => ({
    path: `/api/ledger/v2/${await ledgerWithTransaction()}/accounts/bank/metadata/key`,
  }),
  v2DeleteTransactionMetadata: async () => ({
    path: `/api/ledger/v2/${await ledgerWithTransaction()}/transactions/1/metadata/key`,
  }),
  deleteAccountMetadata: async () => ({
    path: `/api/ledger/${await ledgerWithTransaction()}/accounts/bank/metadata/key`,
  }),
  deleteTransactionMetadata: async () => ({
    path: `/api/ledger/${await ledgerWithTransaction()}/transactions/1/metadata/key`,
  }),
  deleteTrigger: at(`${ORCHESTRATION}/triggers/`, async () => (await newTrigger()).id, {
    action: "orchestration.trigger.delete",
  }),
  v2DeleteTrigger: at(`${TRIGGERS}/`, async () => (await newTrigger()).id, {
    action: "orchestration.trigger.delete",
  }),
  deleteWorkflow: at(`${ORCHESTRATION}/workflows/`, newWorkflow, {
    action: "orchestration.workflow.delete",
  }),
  v2DeleteWorkflow: at(`${ORCHESTRATION}/v2/workflows/`, newWorkflow, {
    action: "orchestration.workflow.delete",
  }),
  cancelEvent: after(async () => `${ORCHESTRATION}/instances/${await instanceId()}`, "/abort", {
    method: "PUT",
    action: "orchestration.instance.abort",
  }),
  v2CancelEvent: after(
    async () => `${ORCHESTRATION}/v2/instances/${await instanceId()}`,
    "/abort",
    { method: "PUT", action: "orchestration.instance.abort" },
  ),
  uninstallConnectorV1: at(`${V1}/connectors/dummypay/`, installDummypay, {
    action: "payments.connector.uninstall",
  }),
  v3UninstallConnector: at(`${V3}/connectors/`, installDummypay, {
    action: "payments.connector.uninstall",
  }),
  resetConnectorV1: after(
    async () => `${V1}/connectors/dummypay/${await installDummypay()}`,
    "/reset",
    { method: "POST", action: "payments.connector.reset" },
  ),
  v3ResetConnector: after(async () => `${V3}/connectors/${await installDummypay()}`, "/reset", {
    method: "POST",
    action: "payments.connector.reset",
  }),
  deletePolicy: at(`${RECONCILIATION}/policies/`, policyId, {
    action: "reconciliation.policy.delete",
  }),
  deleteRule: at(
    `${RECONCILIATION}/rules/`,
    async () => (await createRule(thresholdOf("main"))).id,
    {
      action: "reconciliation.rule.delete",
    },
  ),
  florinDeleteSource: at(`${SOURCES}/`, newStatementSource, {
    action: "reconciliation.source.delete",
  }),
  florinDeleteStatement: at(
    `${SOURCES}/`,
    async () => {
      const source = await newStatementSource();
      return `${source}/statements/${(await uploaded(source, lineOf(5))).id}`;
    },
    { action: "reconciliation.statement.delete" },
  ),
  // What begins a copy is in the audit; that it ends, also by itself, is not.
  florinAbandonDatabaseCopy: at("/api/florin/v1/backup/database-copies/", copyId, {}),
  florinAbandonObjectCopy: at("/api/florin/v1/backup/objects/copies/", objectCopy, {}),
  // It has a token of its own, and leaves no entry: its beginning has one.
  florinAbandonRestoration: async () => {
    const { id, token } = await underWay({ isWritten: false });
    return { path: `/api/florin/v1/restorations/${id}`, bearer: token };
  },
  florinDeleteMatching: at(`${MATCHINGS}/`, async () => (await newMatching()).id, {
    action: "reconciliation.matching.delete",
  }),
  deletePool: at(`${V1}/pools/`, poolId, { action: "payments.pool.delete" }),
  v3DeletePool: at(`${V3}/pools/`, poolId, { action: "payments.pool.delete" }),
  removeAccountFromPool: at(`${V1}/pools/`, poolMember, {
    action: "payments.pool.remove-account",
  }),
  v3RemoveAccountFromPool: at(`${V3}/pools/`, poolMember, {
    action: "payments.pool.remove-account",
  }),
  deleteTransferInitiation: at(`${V1}/transfer-initiations/`, initiationId, {
    action: "payments.payment-initiation.delete",
  }),
  v3DeletePaymentInitiation: at(`${V3}/payment-initiations/`, initiationId, {
    action: "payments.payment-initiation.delete",
  }),
  v3RejectPaymentInitiation: after(
    async () => `${V3}/payment-initiations/${await initiationId()}`,
    "/reject",
    { method: "POST", action: "payments.payment-initiation.reject" },
  ),
  v3DeletePaymentServiceUser: at("", userPath, { action: "payments.payment-service-user.delete" }),
  v3DeletePaymentServiceUserConnector: at("", userOfConnector, {
    action: "payments.payment-service-user.delete",
  }),
  v3DeletePaymentServiceUserConnectionFromConnectorID: after(userOfConnector, "/connections/some", {
    action: "payments.payment-service-user.delete",
  }),
  florinDeleteBooking: at("", bookingPath, { action: "payments.booking.delete" }),
  florinPauseBooking: after(bookingPath, "/pause", {
    method: "POST",
    action: "payments.booking.pause",
  }),
  dismissRejectedItem: at("", rejectedItem, { action: "payments.connector.dismiss-rejected" }),
  deleteConfig: at("/api/webhooks/configs/", async () => (await insertWebhook()).id, {
    action: "webhooks.config.delete",
  }),
  deactivateConfig: after(
    async () => `/api/webhooks/configs/${(await insertWebhook()).id}`,
    "/deactivate",
    { method: "PUT", action: "webhooks.config.deactivate" },
  ),
  // It comes last, because the deployment stays disarmed.
  florinDisarm: at("/api/florin/v1/disarm", async () => "", {
    method: "POST",
    json: {},
    action: "deployment.state.disarm",
  }),
};
