import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { QontoClient } from "./client.ts";
import { QONTO_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Qonto: the bank accounts of an organization, their balances, transactions and beneficiaries. See the README of this folder. */
export const qontoKind: kit.ConnectorKind = {
  key: "qonto",
  capabilities: [...kit.FETCHES],
  pageSize: 100,
  fields: QONTO_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES"), kit.periodic("FETCH_PAYMENTS")),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
  ],
  create: (values, { fetch, clock }) => {
    const client = new QontoClient(fetch, kit.readConfig(QONTO_FIELDS, values));
    return {
      fetchAccounts: () => fetchAccounts(client),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchExternalAccounts: (request) => fetchBeneficiaries(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      checkAccess: () => client.checkAccess(),
    };
  },
};
