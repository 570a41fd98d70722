import {
  ALL,
  filtersBy,
  filtersByMetadata,
  metadataColumnsAt,
  type NamedFilter,
  type PaymentRead,
  readsOf,
} from "#bench/payments/reads.ts";
import { COUNT, createdAt, isRare, type ListWorld, uuidAt } from "#bench/payments/world.ts";
import { sealNumbers } from "#modules/payments/bank-accounts/store.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";

/** Reads of users, of bank accounts, and of the connections and link attempts of one user, who has most of the rows. */
export function ownerReads(world: ListWorld): PaymentRead[] {
  fillUsers(world);
  fillBankAccounts(world);
  fillConnections(world);
  fillLinkAttempts(world);
  const user = `/api/payments/v3/payment-service-users/${uuidAt(0)}`;
  const at = `${user}/connectors/${encodeConnectorId(world.connector.id)}`;
  return [
    ...readsOf(world, {
      name: "users",
      paths: ["/api/payments/v3/payment-service-users"],
      filters: [ALL, ...filtersBy("id", { few: uuidAt(77), none: "none" }), ...filtersByMetadata()],
      cursor: { list: "payment-service-users" },
    }),
    ...readsOf(world, {
      name: "bank accounts",
      paths: ["/api/payments/v3/bank-accounts", "/api/payments/bank-accounts"],
      filters: BANK_ACCOUNT_FILTERS,
      cursor: { list: "bank-accounts" },
    }),
    ...readsOf(world, {
      name: "connections of a user",
      paths: [`${user}/connections`],
      filters: CONNECTION_FILTERS,
      cursor: { list: "connections" },
    }),
    ...readsOf(world, {
      name: "connections of a user at a connector",
      paths: [`${at}/connections`],
      filters: CONNECTION_FILTERS,
      cursor: { list: "connections" },
    }),
    ...readsOf(world, {
      name: "link attempts of a user",
      paths: [`${at}/link-attempts`],
      filters: [
        ALL,
        ...filtersBy("id", { few: uuidAt(77), none: "none" }),
        ...filtersBy("status", { many: "pending", few: "exited" }),
        { name: "status of none", hits: "none", where: { $in: { status: [] } } },
      ],
      cursor: { list: "link-attempts" },
    }),
  ];
}

const BANK_ACCOUNT_FILTERS: readonly NamedFilter[] = [
  ALL,
  ...filtersBy("id", { few: uuidAt(77), none: "none" }),
  ...filtersBy("name", { few: "Owner 777", none: "none" }),
  { name: "a pattern of few names", hits: "few", where: { $like: { name: "%77777%" } } },
  { name: "a pattern of no name", hits: "none", where: { $like: { name: "%none%" } } },
  ...filtersBy("country", { many: "DE", few: "LI", none: "XX" }),
  { name: "no country", hits: "none", where: { $exists: { country: false } } },
  ...filtersBy("psu_id", { many: uuidAt(0), few: uuidAt(20), none: "none" }),
  ...filtersByMetadata(),
];

const CONNECTION_FILTERS: readonly NamedFilter[] = [
  ALL,
  ...filtersBy("connection_id", { few: "connection-77", none: "none" }),
  { name: "a pattern of no connection", hits: "none", where: { $like: { connection_id: "%x%" } } },
  ...filtersBy("status", { many: "ACTIVE", few: "ERROR" }),
  ...filtersByMetadata(),
];

function fillUsers(world: ListWorld): void {
  world.insert("payment_users", COUNT, (place) => ({
    id: uuidAt(place),
    name: `User ${place}`,
    contact_details: `{"email":"user-${place}@example.com"}`,
    address: `{"city":"Town ${place % 1000}","country":"DE"}`,
    ...metadataColumnsAt(place),
    created_at: createdAt(place),
  }));
}

/** Bank accounts of the first user: the most that a user can be created with. */
const OF_FIRST_USER = 1000;

function fillBankAccounts(world: ListWorld): void {
  const numbers = sealNumbers(world.context.env, uuidAt(0), { iban: "DE89370400440532013000" });
  world.insert("payment_bank_accounts", COUNT, (place) => ({
    id: uuidAt(place),
    name: `Owner ${place}`,
    country: isRare(place) ? "LI" : place % 2 === 0 ? "DE" : "FR",
    numbers,
    psu_id: place < OF_FIRST_USER ? uuidAt(0) : place % 10 === 0 ? uuidAt(place % 40_000) : null,
    ...metadataColumnsAt(place),
    created_at: createdAt(place),
  }));
  world.insert("payment_bank_account_relations", COUNT, (place) => ({
    bank_account_key: place + 1,
    connector_key: world.connectorAt(place).key,
    account_reference: `acc_${place}`,
    created_at: createdAt(place),
  }));
}

function fillConnections(world: ListWorld): void {
  world.insert("payment_user_connections", COUNT, (place) => ({
    user_key: 1,
    connector_key: world.connectorAt(place).key,
    connection_id: `connection-${place}`,
    status: place % (COUNT / 5) === 12 ? "ERROR" : "ACTIVE",
    ...metadataColumnsAt(place),
    created_at: createdAt(place),
    updated_at: createdAt(place),
  }));
}

function fillLinkAttempts(world: ListWorld): void {
  world.insert("payment_link_attempts", COUNT, (place) => ({
    id: uuidAt(place),
    user_key: 1,
    connector_key: world.connector.key,
    status: isRare(place) ? "exited" : place % 2 === 0 ? "pending" : "completed",
    client_redirect_url: "https://example.com/back",
    state_hash: `hash ${place}`,
    link: "",
    created_at: createdAt(place),
  }));
}
