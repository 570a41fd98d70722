import { asMetadata, type HostileField } from "./field.ts";
import { AT, type HostileOwners, PAYMENTS } from "./owners.ts";

const TOO_LONG = "must be at maximum 1,000 characters in length";

const accountPage = (id: string): string => `/payments/accounts/${id}`;
const paymentPage = (id: string): string => `/payments/payments/${id}`;
const orderPage = (id: string): string => `/payments/initiations/${id}`;
const bankPage = (id: string): string => `/payments/bank-accounts/${id}`;

/** The fields of payments, among them those that connectors fill with texts of providers. */
export function paymentFields({
  connector,
  source,
  destination,
}: HostileOwners): readonly HostileField[] {
  const account = (fields: object) => ({
    connectorID: connector,
    createdAt: AT,
    type: "EXTERNAL",
    reference: `account-${crypto.randomUUID()}`,
    accountName: "an account",
    ...fields,
  });
  const payment = (reference: string, metadata: object) => ({
    reference,
    connectorID: connector,
    createdAt: AT,
    type: "PAYOUT",
    scheme: "OTHER",
    asset: "EUR/2",
    amount: 500,
    initialAmount: 500,
    sourceAccountID: source,
    destinationAccountID: destination,
    adjustments: [
      { reference, createdAt: AT, status: "SUCCEEDED", amount: 500, asset: "EUR/2", metadata },
    ],
    metadata,
  });
  const initiation = (fields: object) => ({
    reference: `order-${crypto.randomUUID()}`,
    description: "An order",
    connectorID: connector,
    type: "PAYOUT",
    amount: 500,
    asset: "EUR/2",
    sourceAccountID: source,
    destinationAccountID: destination,
    metadata: {},
    ...fields,
  });
  const short = { limit: 1000, refuses: { long: TOO_LONG } };
  return [
    {
      name: "connector",
      page: (id) => `/payments/connectors/${id}`,
      path: `${PAYMENTS}/connectors/install/dummypay`,
      body: (text) => ({ name: text, directory: "acme" }),
      limit: 500,
      refuses: { long: "Field validation for 'Name' failed on the 'max' tag" },
    },
    {
      name: "account reference",
      page: accountPage,
      path: `${PAYMENTS}/accounts`,
      body: (text) => account({ reference: text }),
      ...short,
    },
    {
      name: "account name",
      page: accountPage,
      path: `${PAYMENTS}/accounts`,
      body: (text) => account({ accountName: text }),
      ...short,
    },
    {
      name: "account of a provider, metadata",
      page: accountPage,
      path: `${PAYMENTS}/accounts`,
      body: (text) => account({ metadata: asMetadata(text) }),
    },
    {
      name: "payment reference",
      page: paymentPage,
      path: `${PAYMENTS}/payments`,
      body: (text) => payment(text, {}),
      ...short,
    },
    {
      name: "payment metadata",
      page: paymentPage,
      path: `${PAYMENTS}/payments`,
      body: (text) => payment(`payment-${crypto.randomUUID()}`, asMetadata(text)),
    },
    {
      name: "order reference",
      page: orderPage,
      path: `${PAYMENTS}/payment-initiations`,
      body: (text) => initiation({ reference: text }),
      ...short,
    },
    {
      name: "order description",
      page: orderPage,
      path: `${PAYMENTS}/payment-initiations`,
      body: (text) => initiation({ description: text, metadata: asMetadata(text) }),
    },
    {
      name: "pool",
      page: (id) => `/payments/pools/${id}`,
      path: `${PAYMENTS}/pools`,
      body: (text) => ({ name: text, accountIDs: [source] }),
      ...short,
    },
    {
      name: "bank account",
      page: bankPage,
      path: `${PAYMENTS}/bank-accounts`,
      body: (text) => ({ name: text, iban: "FR7630006000011234567890189", country: "FR" }),
      ...short,
    },
    {
      name: "bank account metadata",
      page: bankPage,
      path: `${PAYMENTS}/bank-accounts`,
      body: (text) => ({
        name: "Rent",
        iban: "FR7630006000011234567890189",
        country: "FR",
        metadata: asMetadata(text),
      }),
    },
  ];
}
