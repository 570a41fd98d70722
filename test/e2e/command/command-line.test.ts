import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { ROOT } from "#scripts/lib/project.ts";
import { hiddenField, locationOf, Visitor } from "#test/support/auth/visitor.ts";
import { commandLine, runCommandLine } from "#test/support/runner/command-line.ts";
import { sharedFolder, sharedServer } from "#test/support/runner/shared-server.ts";

const server = sharedServer();
const home = mkdtempSync(join(tmpdir(), "florin-command-line-"));
const LOCAL: NodeJS.ProcessEnv = { FLORIN_STATE_DIR: sharedFolder(), XDG_CONFIG_HOME: home };

/** The output of a command on the server of the state folder. */
const florin = commandLine(LOCAL);

/** What a command prints as JSON. */
const dataOf = async (...args: string[]): Promise<unknown> =>
  parseJson(await florin(...args, "--json"));

const Id = z.object({ id: z.string() });

/** A file with a text or with JSON. */
function fileOf(name: string, content: unknown): string {
  const path = join(home, name);
  writeFileSync(path, typeof content === "string" ? content : stringifyJson(content));
  return path;
}

describe("ledgers", () => {
  test("a ledger is made, moves exact amounts, is exported, and grows again from its log", async () => {
    await florin("ledgers", "create", "cli-books", "--metadata", "owner=ada", "--bucket", "cli");
    expect(await florin("ledgers", "list", "--filter", "name=cli-books")).toMatch(
      /^Ledger +Bucket +Made at +Metadata\ncli-books +cli +\S+ +owner=ada$/,
    );
    const amount = "99999999999999999999";
    const posting = `world -> users:1 ${amount} USD/2`;
    const made = await dataOf(
      ..."transactions create cli-books --reference first --metadata order=7".split(" "),
      posting,
      "--idempotency-key",
      "cli-1",
    );
    expect(made).toMatchObject({ id: 1, postings: [{ amount: BigInt(amount) }] });
    const again = ["transactions", "create", "cli-books", "--reference", "first"];
    const repeated = [...again, "--metadata", "order=7", posting, "--idempotency-key", "cli-1"];
    expect(await dataOf(...repeated)).toMatchObject({ id: 1 });
    const script = fileOf(
      "pay.num",
      "vars {\n  monetary $sum\n}\nsend $sum (\n  source = @users:1\n  destination = @users:2\n)\n",
    );
    await florin(
      "transactions",
      "create",
      "cli-books",
      "--script",
      script,
      "--var",
      "sum=USD/2 40",
    );
    expect(
      await florin("transactions", "list", "cli-books", "--filter", "account=users:2"),
    ).toMatch(/\n2 +\S+ +users:1 -> users:2 40 USD\/2$/);
    expect(await florin("accounts", "show", "cli-books", "users:2")).toContain("40 USD/2");
    await florin("accounts", "set-metadata", "cli-books", "users:2", "name=Ada");
    expect(
      await florin("accounts", "list", "cli-books", "--filter", "metadata[name]=Ada"),
    ).toContain("users:2  40 USD/2");
    expect(
      await dataOf("accounts", "balances", "cli-books", "--filter", "account=users:1"),
    ).toEqual([expect.objectContaining({ balance: BigInt(amount) - 40n })]);
    const reverted = await dataOf("transactions", "revert", "cli-books", "2");
    expect(reverted).toMatchObject({ id: 3 });
    expect(await florin("transactions", "show", "cli-books", "2")).toContain("Reverted at");
    expect(await dataOf("ledgers", "stats", "cli-books")).toEqual({ transactions: 3, accounts: 3 });

    const log = join(home, "books.log");
    await florin("ledgers", "export", "cli-books", "--to", log);
    expect(await florin("ledgers", "export", "cli-books")).toBe(readFileSync(log, "utf8").trim());
    await florin("ledgers", "create", "cli-copy", "--bucket", "cli");
    await florin("ledgers", "import", "cli-copy", "--from", log);
    expect(await florin("ledgers", "verify", "cli-copy")).toContain("agrees with its log");
    expect(await dataOf("ledgers", "stats", "cli-copy")).toEqual({ transactions: 3, accounts: 3 });

    const { code, notes } = await runCommandLine(LOCAL, ["buckets", "delete", "cli"]);
    expect([code, notes]).toEqual([1, expect.stringContaining("--yes is not given")]);
    await florin("buckets", "delete", "cli", "--yes");
    expect((await runCommandLine(LOCAL, ["ledgers", "show", "cli-books"])).code).toBe(1);
    await florin("buckets", "restore", "cli");
    expect(await florin("ledgers", "show", "cli-books")).toContain("owner: ada");
  });

  test("a list without end goes page by page, and a reader who leaves ends the command", async () => {
    await florin("ledgers", "create", "cli-many");
    const body = Array.from({ length: 250 }, (_, index) => ({
      action: "CREATE_TRANSACTION",
      data: { postings: [{ source: "world", destination: "a", amount: 1, asset: "X" }] },
      ik: `cli-${index}`,
    }));
    await server.json("/api/ledger/v2/cli-many/_bulk", { body });
    expect(await dataOf("transactions", "list", "cli-many", "--all")).toHaveLength(250);
    expect(await dataOf("transactions", "list", "cli-many", "--limit", "120")).toHaveLength(120);
    const args = ["scripts/florin.ts", "transactions", "list", "cli-many", "--all", "--json"];
    const env = { ...process.env, ...LOCAL };
    const child = spawn(process.execPath, args, { cwd: ROOT, env });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "exit");
    expect([child.exitCode, child.signalCode, errors]).toEqual([0, null, ""]);
  });
});

describe("wallets", () => {
  test("a wallet gets money, holds a part, and gives it", async () => {
    const { id } = Id.parse(await dataOf("wallets", "create", "cli-ada"));
    await florin("wallets", "credit", id, "500", "EUR/2");
    expect(await florin("wallets", "debit", id, "100", "EUR/2")).toContain("went out");
    const held = await florin(..."wallets debit".split(" "), id, "50", "EUR/2", "--pending");
    const [, hold = ""] = /the hold (\S+)\./.exec(held) ?? [];
    expect(await florin("holds", "show", hold)).toContain("50 EUR/2");
    expect(await florin("holds", "list", "--filter", `walletID=${id}`)).toContain(hold);
    expect(await florin("wallets", "balances", id)).toMatch(
      /Available +350 EUR\/2\n +Held +50 EUR\/2/,
    );
    await florin("holds", "confirm", hold, "--amount", "20", "--final");
    expect(await florin("wallets", "show", id)).toContain("380 EUR/2");
    await florin("wallets", "create-balance", id, "gifts", "--priority", "5");
    expect(await florin("wallets", "balances", id)).toContain("gifts:");
  });
});

describe("payments", () => {
  test("a connector is installed, and its initiations are decided", async () => {
    const config = fileOf("bank.json", { name: "cli-bank", directory: "cli-bank" });
    const installed = await florin("connectors", "install", "dummypay", "--config", config);
    const [, connector = ""] = /connector (\S+) is installed/.exec(installed) ?? [];
    expect(await florin("connectors", "list", "--filter", "name=cli-bank")).toContain(connector);
    expect(await florin("connectors", "show", connector)).toContain("cli-bank");
    expect(await florin("connectors", "config", connector)).toContain("directory: cli-bank");
    const accountOf = async (reference: string, type: string): Promise<string> => {
      const account = { reference, accountName: reference, connectorID: connector, type };
      const body = { ...account, createdAt: "2026-01-01T00:00:00Z", metadata: {} };
      const made = await server.json("/api/payments/v3/accounts", { body });
      return z.object({ data: Id }).parse(made).data.id;
    };
    const [till, payee] = [
      await accountOf("till", "INTERNAL"),
      await accountOf("payee", "EXTERNAL"),
    ];
    const initiate = async (reference: string): Promise<string> => {
      const order = { reference, description: "rent", type: "PAYOUT", amount: 100, asset: "EUR/2" };
      const accounts = { sourceAccountID: till, destinationAccountID: payee };
      const body = { ...order, ...accounts, connectorID: connector, metadata: {} };
      const made = await server.json("/api/payments/v3/payment-initiations", { body });
      return z.object({ data: z.object({ paymentInitiationID: z.string() }) }).parse(made).data
        .paymentInitiationID;
    };
    const [first, second] = [await initiate("cli-one"), await initiate("cli-two")];
    await florin("initiations", "reject", first);
    await florin("initiations", "approve", second);
    expect(await florin("initiations", "show", first)).toMatch(/Status +REJECTED/);
    expect(await florin("initiations", "history", first)).toContain("WAITING_FOR_VALIDATION");
    const listed = await dataOf("initiations", "list", "--filter", "reference=cli-two");
    expect(listed).toEqual([expect.objectContaining({ id: second, amount: 100 })]);
    expect(await florin("payments", "list", "--filter", `connector_id=${connector}`)).not.toBe("");
    const again = await runCommandLine(LOCAL, ["initiations", "approve", first]);
    expect([again.code, again.notes]).toEqual([1, expect.stringMatching(/^The server refuses: /)]);
    await florin("connectors", "uninstall", connector, "--yes");
  });
});

describe("flows", () => {
  test("a workflow is made from a file, waits for an event, and is stopped", async () => {
    const file = fileOf(
      "flow.yaml",
      "name: cli-flow\nstages:\n  - wait_event: {event: paid}\n  - delay: {duration: 1h}\n",
    );
    const { id: workflow } = Id.parse(await dataOf("workflows", "create", "--from", file));
    expect(await florin("workflows", "show", workflow)).toContain("wait_event");
    const { id } = Id.parse(await dataOf("instances", "start", workflow, "--var", "user=ada"));
    const state = async (): Promise<unknown> => dataOf("instances", "show", id);
    await expect.poll(state).toMatchObject({ state: "waiting" });
    await florin("instances", "send-event", id, "paid");
    await expect.poll(() => florin("instances", "history", id)).toContain("paid");
    expect(await dataOf("instances", "list", "--filter", `workflowID=${workflow}`)).toEqual([
      expect.objectContaining({ id }),
    ]);
    await florin("instances", "stop", id, "--yes");
    expect(await state()).toMatchObject({ terminated: true });

    const trigger = Id.parse(
      await dataOf(
        ..."triggers create ledger.committed_transactions".split(" "),
        workflow,
        "--name",
        "cli-trigger",
        "--filter",
        'event.ledger == "nowhere"',
      ),
    );
    const event = fileOf("event.json", { ledger: "elsewhere" });
    expect(await florin("triggers", "test", trigger.id, "--event", event)).toContain(
      "match: false",
    );
    expect(await florin("triggers", "list", "--filter", "name=cli-trigger")).toContain(trigger.id);
    expect(await florin("triggers", "show", trigger.id)).toContain("cli-trigger");
    expect(await florin("triggers", "work", trigger.id)).toContain("Waiting");
    expect(await florin("triggers", "occurrences", trigger.id)).toBe("The trigger has not fired.");
    await florin("triggers", "delete", trigger.id, "--yes");
    await florin("workflows", "delete", workflow, "--yes");
  });
});

describe("webhooks", () => {
  test("an endpoint is made, switched off and on, and its deliveries are looked at", async () => {
    const { id } = Id.parse(
      await dataOf(
        ..."webhooks create http://127.0.0.1:9/cli --events ledger.saved_metadata --name cli".split(
          " ",
        ),
      ),
    );
    await florin("webhooks", "deactivate", id);
    const filter = ["--filter", `id=${id}`];
    expect(await dataOf("webhooks", "list", ...filter)).toEqual([
      expect.objectContaining({ active: false }),
    ]);
    await florin("webhooks", "activate", id);
    expect(await florin("webhooks", "change-secret", id)).toMatch(/Secret +\S+/);
    await florin("ledgers", "create", "cli-hook");
    await florin("accounts", "set-metadata", "cli-hook", "a", "b=c");
    const deliveries = () => dataOf("deliveries", "list", "--filter", `configId=${id}`);
    await expect.poll(deliveries).toContainEqual(expect.objectContaining({ configID: id }));
    const [delivery] = z.array(Id).parse(await deliveries());
    const sent = delivery?.id ?? "";
    await expect.poll(() => dataOf("deliveries", "attempts", sent)).not.toEqual([]);
    expect(await florin("deliveries", "show", sent)).toMatch(/Type +ledger\.saved_metadata/);
    expect(await florin("deliveries", "replay", sent)).toContain(sent);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const replay = ["deliveries", "replay-all", "--from", hourAgo];
    const replayed = await dataOf(...replay, "--webhooks", id, "--status", "failed");
    expect(replayed).toEqual({ replayed: 0, expedited: 0, skipped: 0 });
    await florin("webhooks", "delete", id, "--yes");
  });
});

describe("the deployment", () => {
  test("the audit, failed requests, keys and the status are shown", async () => {
    await florin("ledgers", "create", "cli-seen");
    const audit = ["audit", "list", "--filter", "object=ledgers/cli-seen"];
    expect(await florin(...audit)).toContain("ledger.ledger.create");
    expect(await florin("keys", "list")).toContain("signs");
    expect(await florin("requests", "list", "--limit", "1")).not.toBe("");
    const { code, output } = await runCommandLine(LOCAL, ["status", "--module", "wallets"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/ok +wallets\/holds/)]);
    expect(await florin("whoami")).toContain("ledger:write");
  });
});

describe("a login", () => {
  const remote: NodeJS.ProcessEnv = { XDG_CONFIG_HOME: home };
  const url = ["--url", server.url];

  /** A browser in which a person with these scopes is logged in. */
  async function browserOf(email: string, scopes: readonly string[]): Promise<Visitor> {
    const visitor = new Visitor({
      origin: server.url,
      fetch: (path, init) => fetch(server.url + path, init),
    });
    await server.json("/api/florin/v1/users", { body: { email, scopes } });
    const [link = ""] = (await florin("people", "sign-in-link", email)).split("\n");
    const secret = new URL(link).hash.slice(1);
    expect((await visitor.postJson("/api/auth/sign-in", { secret })).status).toBe(204);
    return visitor;
  }

  test("a person allows the login on a page, uses it, and ends it", async () => {
    const visitor = await browserOf("cli-ada@example.com", ["ledger:write"]);
    const allowed = Promise.withResolvers<undefined>();
    const login = await runCommandLine(remote, ["login", ...url], (note) => {
      const [page = ""] = /http\S+/.exec(note) ?? [];
      allowed.resolve(allow(visitor, page, note));
    });
    await allowed.promise;
    expect([login.code, login.output]).toEqual([
      0,
      `You are logged in at ${server.url} as cli-ada@example.com.\nYou may use ledger:read ledger:write.`,
    ]);
    expect(statSync(join(home, "florin/logins.json")).mode & 0o777).toBe(0o600);
    expect((await runCommandLine(remote, ["login", "status"])).output).toContain(
      "cli-ada@example.com",
    );
    expect((await runCommandLine(remote, ["whoami", ...url])).output).toContain(
      "cli-ada@example.com",
    );
    await florin("ledgers", "create", "cli-remote");
    const named = ["--filter", "name=cli-remote"];
    expect((await runCommandLine(remote, ["ledgers", "list", ...named, ...url])).output).toContain(
      "cli-remote",
    );
    const byVariable = { ...remote, FLORIN_URL: server.url };
    expect((await runCommandLine(byVariable, ["ledgers", "show", "cli-remote"])).code).toBe(0);
    const refused = await runCommandLine(remote, ["wallets", "list", ...url]);
    expect([refused.code, refused.notes]).toEqual([
      1,
      expect.stringContaining("has no wallets:read"),
    ]);
    expect(await runCommandLine(remote, ["logout", ...url])).toMatchObject({ code: 0 });
    const { code, notes } = await runCommandLine(remote, ["ledgers", "list", ...url]);
    expect([code, notes]).toEqual([1, expect.stringContaining("Nobody is logged in at")]);
  });

  async function allow(visitor: Visitor, page: string, note: string): Promise<undefined> {
    const opened = await visitor.get(page);
    const shown = opened.status === 200 ? opened : await visitor.get(locationOf(opened));
    const code = hiddenField(await shown.text(), "user_code");
    expect(note.replaceAll("-", "")).toContain(code.replaceAll("-", ""));
    const answer = await visitor.post("/api/auth/device", { user_code: code, answer: "allow" });
    expect(await answer.text()).toContain("The device is logged in");
    return undefined;
  }

  test("no login is begun where others may read the file of logins", async () => {
    const folder = mkdtempSync(join(tmpdir(), "florin-open-"));
    const { code, notes } = await runCommandLine({ XDG_CONFIG_HOME: folder }, ["logout", ...url]);
    expect([code, notes]).toEqual([1, `Nobody is logged in at ${server.url}.`]);
    writeFileSync(join(folder, "florin/logins.json"), "{}", { mode: 0o644 });
    const open = await runCommandLine({ XDG_CONFIG_HOME: folder }, ["login", ...url]);
    expect([open.code, open.notes]).toEqual([1, expect.stringContaining("chmod 600")]);
  });
});
