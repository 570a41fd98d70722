import { asMetadata, type HostileField } from "./field.ts";
import { LEDGER } from "./owners.ts";

const transactionPage = (id: string): string => `/ledgers/books/transactions/${id}`;

export function ledgerFields(): readonly HostileField[] {
  const transaction = (more: object) => ({
    postings: [{ source: "world", destination: "bank", amount: 100, asset: "EUR/2" }],
    ...more,
  });
  const address = "invalid destination address";
  const name = "invalid ledger name";
  return [
    {
      name: "ledger",
      path: (text) => `/api/ledger/v2/${encodeURIComponent(text)}`,
      body: () => ({}),
      limit: 63,
      refuses: { markup: name, rtl: name, long: name, nul: "the URL contains U+0000" },
    },
    { name: "ledger metadata", path: `${LEDGER}/metadata`, method: "PUT", body: asMetadata },
    {
      name: "address",
      path: `${LEDGER}/transactions`,
      body: (text) => ({
        postings: [{ source: "world", destination: text, amount: 100, asset: "EUR/2" }],
      }),
      limit: 256,
      refuses: { markup: address, rtl: address, long: address },
    },
    {
      name: "asset",
      path: `${LEDGER}/transactions`,
      body: (text) => ({
        postings: [{ source: "world", destination: "bank", amount: 100, asset: text }],
      }),
      limit: 17,
      refuses: { markup: "invalid asset", rtl: "invalid asset", long: "invalid asset" },
    },
    {
      name: "reference",
      page: transactionPage,
      path: `${LEDGER}/transactions`,
      body: (text) => transaction({ reference: text }),
      limit: 1024,
      refuses: { long: "the reference is longer than 1024 characters" },
    },
    {
      name: "transaction metadata",
      page: transactionPage,
      path: `${LEDGER}/transactions`,
      body: (text) => transaction({ metadata: asMetadata(text) }),
    },
    { name: "account metadata", path: `${LEDGER}/accounts/bank/metadata`, body: asMetadata },
    {
      name: "schema version",
      path: (text) => `${LEDGER}/schemas/${encodeURIComponent(text)}`,
      body: () => ({ chart: { users: { ".self": {} }, bank: {} } }),
      limit: 255,
      refuses: {
        long: "the schema version is longer than 255 characters",
        nul: "the URL contains U+0000",
      },
    },
  ];
}
