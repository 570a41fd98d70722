import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { TwoWorkers } from "./two-workers.ts";
import { unpackState } from "#scripts/lib/release/archive.ts";
import { releaseFiles } from "#scripts/lib/release/fixture.ts";
import { Facts, Named, WORLD } from "#scripts/lib/release/world/facts.ts";
import { migrate } from "#scripts/lib/runtime/migrate.ts";
import { readLocalSettings } from "#scripts/lib/settings/local.ts";
import { StateFolder } from "#scripts/lib/state.ts";
import { freshFolder, ServerClient } from "#test/support/platform/server.ts";

/** Migrations of D1 that the Worker of each release knows. */
export const KNOWN_MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  "0.2.0": ["0000_release_0_2_0.sql"],
};

/** Requests at once, half of them to each Worker. */
const LANES = 4;

/** The load for each code of the objects. */
interface Load {
  /** How long it lasts, in milliseconds. */
  readonly durationMs: number;
  /** How long a lane waits after some eight requests, in milliseconds. */
  readonly pauseMs: number;
}

/**
 * Rolls today's code out over the state of a release: both Workers at once under mixed load, while objects have the old code, the new, and the
 * old again, each for some time. Returns what went wrong, a sentence each: what the Workers have logged, and where what one of them reads is
 * not what was acknowledged. Throws for a request that fails.
 */
export async function rollOut(release: string, load: Load): Promise<readonly string[]> {
  const path = freshFolder();
  const dataPath = join(path, "v3");
  const files = releaseFiles(release);
  unpackState(files.state, path);
  await migrate(dataPath);
  const folder = await StateFolder.open(path);
  try {
    const { walletID } = Facts.parse(JSON.parse(readFileSync(files.facts, "utf8")));
    const secrets = folder.secrets();
    const vars = {
      ...readLocalSettings({ FLORIN_STATE_DIR: path }).varsWith(secrets),
      // One issuer, so that each Worker takes the tokens of the other.
      FLORIN_PUBLIC_URL: "http://localhost:8787",
      FLORIN_ALLOW_PRIVATE_HOSTS: "true",
    };
    const wrong: string[] = [];
    const model = new Model(walletID, wrong);
    for (const objects of ["old", "new", "old"] as const) {
      const onLog = (line: string): void => {
        if (/"message":"request failed"|does not implement/.test(line)) wrong.push(line);
      };
      const known = KNOWN_MIGRATIONS[release] ?? [];
      const workers = await TwoWorkers.open({ release, known, dataPath, objects, vars, onLog });
      try {
        const old = new ServerClient({ url: await workers.urlOf("old"), ...secrets });
        const recent = new ServerClient({ url: await workers.urlOf("new"), ...secrets });
        await model.work([old, recent], load);
        for (const client of [old, recent]) await model.compare(client);
      } finally {
        await workers.stop();
      }
    }
    return wrong;
  } finally {
    folder.release();
  }
}

const BOOKS = `/api/ledger/v2/${WORLD.ledger}`;
const BANK = "rollout:bank";

const Amount = z.union([z.int(), z.bigint()]).transform(BigInt);
const Texts = z.record(z.string(), z.string());
const Account = z.object({
  data: z.object({
    metadata: Texts,
    volumes: z.record(z.string(), z.object({ balance: Amount })).optional(),
  }),
});
const Balance = z.object({ data: z.object({ assets: z.record(z.string(), Amount) }) });
const Configs = z.object({ cursor: z.object({ data: z.array(z.object({ id: z.string() })) }) });
const Bulk = z.object({
  data: z.array(
    z.object({ responseType: z.string(), data: z.object({ metadata: Texts }).optional() }),
  ),
});

/** What was acknowledged, and what must therefore be stored. */
class Model {
  readonly #wallet: string;
  readonly #wrong: string[];
  #paid = 0n;
  #transactions: number | undefined;
  readonly #notes = new Map<string, string>();
  readonly #configs = new Set<string>();
  readonly #ledgers = new Set<string>();
  #credited: bigint | undefined;

  constructor(wallet: string, wrong: string[]) {
    this.#wallet = wallet;
    this.#wrong = wrong;
  }

  /** Works in several lanes, in each by the two Workers in turns, until the time is over. */
  async work(
    clients: readonly [ServerClient, ServerClient],
    { durationMs, pauseMs }: Load,
  ): Promise<void> {
    this.#credited ??= await this.#balanceOf(clients[0]);
    this.#transactions ??= await this.#countOf(clients[0]);
    const endMs = performance.now() + durationMs;
    const lane = async (number: number): Promise<void> => {
      for (let round = number; performance.now() < endMs || round < number + 2; round++) {
        const client = clients[round % 2] ?? clients[0];
        await this.#round(client, `${number}-${crypto.randomUUID()}`);
        await wait(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  }

  /** Compares what one of the Workers reads with what was acknowledged. */
  async compare(client: ServerClient): Promise<void> {
    const account = Account.parse(await client.json(`${BOOKS}/accounts/${BANK}?expand=volumes`));
    this.#compare("the balance", account.data.volumes?.[WORLD.asset]?.balance, this.#paid);
    this.#compare("the transactions", await this.#countOf(client), this.#transactions);
    for (const [address, note] of [...this.#notes].slice(-3)) {
      const noted = Account.parse(await client.json(`${BOOKS}/accounts/${address}`));
      this.#compare(`the note of ${address}`, noted.data.metadata["note"], note);
    }
    this.#compare("the wallet", await this.#balanceOf(client), this.#credited);
    for (const id of this.#configs) {
      const { cursor } = Configs.parse(await client.json(`/api/webhooks/configs?id=${id}`));
      this.#compare("the configs", cursor.data.map((config) => config.id).join(), id);
    }
    for (const name of this.#ledgers) await client.json(`/api/ledger/v2/${name}/stats`);
    await client.json("/api/payments/v3/payments");
    await client.json("/api/orchestration/v2/workflows");
    await client.json("/api/auth/clients");
  }

  async #round(client: ServerClient, name: string): Promise<void> {
    const postings = [{ source: "world", destination: BANK, amount: 7, asset: WORLD.asset }];
    const transaction = { postings, metadata: { name } };
    await client.json(`${BOOKS}/transactions`, {
      body: transaction,
      headers: { "idempotency-key": name },
    });
    const address = `rollout:notes:${name}`;
    const answer = await client.json(`${BOOKS}/_bulk`, {
      body: [
        { action: "CREATE_TRANSACTION", data: transaction },
        {
          action: "ADD_METADATA",
          data: { targetType: "ACCOUNT", targetId: address, metadata: { note: name } },
        },
      ],
    });
    const [made, set] = Bulk.parse(answer).data;
    this.#compare("the transaction of a bulk", made?.data?.metadata["name"], name);
    this.#compare("the results of a bulk", set?.responseType, "ADD_METADATA");
    this.#paid += 14n;
    if (this.#transactions !== undefined) this.#transactions += 2;
    this.#notes.set(address, name);
    await client.json(`${BOOKS}/transactions?pageSize=5`);
    await client.json(`${BOOKS}/aggregate/balances`);
    await client.json(`/api/wallets/wallets/${this.#wallet}/credit`, {
      body: { amount: { amount: 3, asset: WORLD.asset }, sources: [], metadata: {} },
    });
    if (this.#credited !== undefined) this.#credited += 3n;
    if (this.#configs.size < 4) await this.#configure(client);
    if (this.#ledgers.size < 6) {
      const ledger = `rollout-${name}`;
      await client.json(`/api/ledger/v2/${ledger}`, { method: "POST" });
      this.#ledgers.add(ledger);
    }
  }

  #compare(what: string, actual: unknown, wanted: unknown): void {
    if (actual === wanted) return;
    this.#wrong.push(`${what}: ${String(actual)} instead of ${String(wanted)}`);
  }

  async #configure(client: ServerClient): Promise<void> {
    const made = await client.json("/api/webhooks/configs", {
      // Nobody listens on the port; the deliveries are repeated later than the test ends.
      body: { endpoint: "http://127.0.0.1:9/hook", eventTypes: ["wallets.never"] },
    });
    this.#configs.add(Named.parse(made).data.id);
  }

  async #countOf(client: ServerClient): Promise<number> {
    const { headers } = await client.api(`${BOOKS}/transactions`, { method: "HEAD" });
    return Number(headers.get("count"));
  }

  async #balanceOf(client: ServerClient): Promise<bigint> {
    const path = `/api/wallets/wallets/${this.#wallet}/balances/main`;
    const { data } = Balance.parse(await client.json(path));
    return data.assets[WORLD.asset] ?? 0n;
  }
}
