import { movementBook } from "./movements.ts";
import { seededSource } from "./seeded-source.ts";
import { type DummySource, toPage } from "./source.ts";
import { urlSource } from "./url-source.ts";
import { accountOfConnection, dummyUsers } from "./users.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/**
 * A provider that moves no money, for tests, demonstrations and newcomers. Its `directory` is an http(s) URL below which `accounts.json`
 * and `balances.json` are read, or any other name, from which accounts, balances and payments are derived. Transfers and payouts change the
 * balances that the connector reports afterwards.
 */
export const dummypayKind: kit.ConnectorKind = {
  key: "dummypay",
  capabilities: [
    ...kit.FETCHES,
    "ALLOW_FORMANCE_ACCOUNT_CREATION",
    "ALLOW_FORMANCE_PAYMENT_CREATION",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
  ],
  pageSize: 25,
  findsMovements: true,
  findsReversals: true,
  fields: [
    {
      name: "directory",
      label: "Directory",
      type: "string",
      isRequired: true,
      rule: { name: "dirpath", holds: isDirectory },
    },
    { name: "linkFlowError", label: "CreateLinkFlowError", type: "boolean", isRequired: false },
    {
      name: "updateLinkFlowError",
      label: "UpdateLinkFlowError",
      type: "boolean",
      isRequired: false,
    },
  ],
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    kit.periodic("FETCH_PAYMENTS"),
  ],
  create,
};

const URL_DIRECTORY = /^https?:\/\//i;
/** The characters of paths of folders. */
const NAME_DIRECTORY = /^(?=.*\S)[\p{L}\p{N} ._~@:+/\\-]+$/u;

function isDirectory(text: string): boolean {
  return URL_DIRECTORY.test(text) ? URL.canParse(text) : NAME_DIRECTORY.test(text);
}

function create(config: kit.PluginConfig, ports: kit.PluginPorts): kit.Plugin {
  const directory = String(config["directory"]);
  const source = URL_DIRECTORY.test(directory)
    ? urlSource(directory, ports.fetch)
    : seededSource(directory);
  const book = movementBook(ports.store);
  return {
    fetchAccounts: async (request) => {
      if (request.connection !== undefined) {
        return toPage([accountOfConnection(request.connection, ports.clock())], request);
      }
      const { items, ...outcome } = await source.accounts();
      return { ...toPage(items, request), ...outcome };
    },
    fetchExternalAccounts: async (request) => toPage(await source.externalAccounts(), request),
    fetchPayments: async (request) =>
      toPage(request.connection === undefined ? await source.payments() : [], request),
    fetchBalances: (request) => fetchBalances(source, { request, book, clock: ports.clock }),
    createTransfer: (movement) => book.move(movement),
    createPayout: (movement) => book.move(movement),
    findMovement: (movement) => book.find(movement),
    findReversal: (reversal) => book.findReversal(reversal),
    reverseTransfer: (reversal) => book.reverse(reversal),
    reversePayout: (reversal) => book.reverse(reversal),
    createBankAccount: async ({ id, createdAt, metadata }) => ({
      reference: `dummypay-${id}`,
      name: "dummypay-account",
      createdAt,
      metadata,
      raw: "{}",
    }),
    users: dummyUsers(config, ports),
  };
}

/** The balances of the source, with the effects of all movements of this connector. */
async function fetchBalances(
  source: DummySource,
  {
    request,
    book,
    clock,
  }: {
    readonly request: kit.FetchRequest;
    readonly book: ReturnType<typeof movementBook>;
    readonly clock: kit.PluginPorts["clock"];
  },
) {
  const account = request.parent?.reference ?? "";
  const balances = new Map(await source.balances(account));
  for (const { asset, amount } of await book.effectsOn(account)) {
    balances.set(asset, (balances.get(asset) ?? 0n) + amount);
  }
  const createdAt = clock();
  const items = [...balances].map(([asset, amount]) => ({
    accountReference: account,
    createdAt,
    asset,
    amount,
  }));
  return kit.onlyPage(items);
}
