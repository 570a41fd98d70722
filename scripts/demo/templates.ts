import type { Client } from "../lib/client.ts";
import type { Check } from "./checks.ts";
import { TransactionPage } from "./wire.ts";
import { stringifyJson } from "#platform/json.ts";

/** A schema with the accounts of a small bank, the two templates that may move its money, and a stored query. */
const SCHEMA = {
  chart: {
    world: {},
    fees: {},
    users: {
      additionalProperties: {
        $id: {
          dotPattern: "^[0-9]+$",
          additionalProperties: { main: { dotMetadata: { tier: { default: "basic" } } } },
        },
      },
    },
  },
  transactions: {
    deposit: {
      description: "Money in",
      script:
        "vars {\n  monetary $amount\n  account $user\n}\nsend $amount (\n  source = @world\n  destination = $user\n)",
    },
    transfer: {
      description: "Between users, with a fee",
      script:
        "vars {\n  monetary $amount\n  account $from\n  account $to\n  portion $fee\n}\nsend $amount (\n  source = $from\n  destination = {\n    $fee to @fees\n    remaining to $to\n  }\n)",
    },
  },
  queries: {
    statement: {
      resource: "transactions" as const,
      description: "What a user sent and received",
      params: { resource: "transactions" as const, sort: "id:asc" },
      vars: { user: { type: "string" } },
      body: { $match: { account: "users:${user}:main" } },
    },
  },
};

/** An amount above 2^53. */
const AMOUNT = 10n ** 20n;

/** Inserts a schema into a new ledger, runs its templates, and checks their results and the refusals. */
export async function playTemplates(client: Client, ledger: string): Promise<Check> {
  const { v2 } = client.sdk.ledger;
  await v2.createLedger({ ledger, v2CreateLedgerRequest: {} });
  await v2.insertSchema({ ledger, version: "v1", v2SchemaData: SCHEMA });
  const bank = new Bank(client, ledger);
  const answers = [
    await bank.run("deposit", { amount: `EUR/2 ${AMOUNT}`, user: "users:1:main" }),
    await bank.run("transfer", {
      amount: "EUR/2 1000",
      from: "users:1:main",
      to: "users:2:main",
      fee: "1/50",
    }),
  ];
  const refusals = [
    await bank.run("deposit", { amount: "EUR/2", user: "users:1:main" }),
    await bank.run("withdraw", { amount: "EUR/2 1", user: "users:1:main" }),
    await bank.send({
      postings: [{ source: "world", destination: "fees", amount: 1, asset: "EUR/2" }],
    }),
  ];
  const { v2AccountResponse: account } = await v2.getAccount({ ledger, address: "users:2:main" });
  const expected = {
    statuses: [200, 200],
    refusals: [400, 400, 400],
    tier: "basic",
    statement: [
      `1 deposit world -> users:1:main ${AMOUNT}`,
      "2 transfer users:1:main -> fees 20, users:1:main -> users:2:main 980",
    ],
  };
  const found = {
    statuses: answers,
    refusals,
    tier: account?.data.metadata["tier"],
    statement: await bank.statement("1"),
  };
  return {
    title:
      "a ledger with a schema takes transactions from its templates only, and its query lists them",
    differences: Object.keys(expected).flatMap((part) => {
      const name = part as keyof typeof expected; // `Object.keys` gives the keys of `expected`.
      const [wanted, got] = [stringifyJson(expected[name]), stringifyJson(found[name])];
      return wanted === got ? [] : [`${part}: expected ${wanted}, got ${got}`];
    }),
  };
}

/** A ledger with the schema. */
class Bank {
  readonly #client: Client;
  readonly #path: string;

  constructor(client: Client, ledger: string) {
    this.#client = client;
    this.#path = `/api/ledger/v2/${ledger}`;
  }

  /** Runs a template and returns the status of the answer. */
  run(template: string, vars: Readonly<Record<string, string>>): Promise<number> {
    return this.send({ script: { template, vars } });
  }

  async send(body: unknown): Promise<number> {
    const path = `${this.#path}/transactions?schemaVersion=v1`;
    return (await this.#client.send("POST", path, { body })).status;
  }

  async statement(user: string): Promise<string[]> {
    const path = `${this.#path}/queries/statement/run?schemaVersion=v1`;
    const { body } = await this.#client.send("POST", path, { body: { vars: { user } } });
    return TransactionPage.parse(body).cursor.data.map(({ id, template, postings }) => {
      const moves = postings.map((it) => `${it.source} -> ${it.destination} ${it.amount}`);
      return `${id} ${template} ${moves.join(", ")}`;
    });
  }
}
