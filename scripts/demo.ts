import { setTimeout as delay } from "node:timers/promises";
import { outcomeOf } from "./demo/books.ts";
import {
  type Check,
  checkAbsence,
  checkAccountMetadata,
  checkAccounts,
  checkConservation,
  checkCopy,
  checkTransactions,
  checkWayBack,
  type Contents,
} from "./demo/checks.ts";
import { planDay } from "./demo/day.ts";
import {
  checkEvents,
  checkSignatures,
  distinctDeliveries,
  EVENT_TYPES,
  expectedEvents,
} from "./demo/event-checks.ts";
import { LedgerReader } from "./demo/ledger-reader.ts";
import { playOrchestration } from "./demo/orchestration.ts";
import { playPayments } from "./demo/payments.ts";
import type { Plan } from "./demo/plan.ts";
import { Player } from "./demo/player.ts";
import { playReconciliation } from "./demo/reconciliation.ts";
import { playTemplates } from "./demo/templates.ts";
import { Client } from "./lib/client.ts";
import { run } from "./lib/main.ts";
import { commandOf } from "./lib/place.ts";
import { OperatorError } from "./lib/project.ts";
import { WebhookReceiver } from "./lib/receiver.ts";
import { findTarget } from "./lib/target.ts";

/** `npm run demo` plays a day on a marketplace against the running server and checks every unit of money. */
async function demo(): Promise<void> {
  const startedMs = performance.now();
  const target = findTarget(process.env);
  print(`Florin at ${target.url}`);
  const client = await Client.connect(target);
  const ledger = newLedgerName();
  await client.sdk.ledger.v2.createLedger({ ledger, v2CreateLedgerRequest: {} });
  print(`  got a token and made the ledger ${ledger}`);
  const checks = await withWebhooks(client, (receiver) => playDay({ client, ledger, receiver }));
  const failed = report(checks);
  if (failed > 0) throw new OperatorError(`\n${failed} of ${checks.length} checks failed.`);
  print(`\nAll ${checks.length} checks passed, in ${secondsSince(startedMs)}.`);
  print(`Look at what the day has made: ${target.url}/console/ledgers/${ledger}/overview`);
  print(`A link that signs somebody in: ${commandOf("florin", "people sign-in-link <person>")}`);
}

/** The seed of the day. Equal seeds give equal days. */
const SEED = 2026;

interface Stage {
  readonly client: Client;
  readonly ledger: string;
  readonly receiver: WebhookReceiver;
}

async function playDay({ client, ledger, receiver }: Stage): Promise<Check[]> {
  const plan = planDay(SEED);
  const outcome = outcomeOf(plan);
  const player = new Player(client, ledger);
  await play(plan, player);
  const played = { outcome, ids: player.ids, revertIds: player.revertIds };

  const expected = expectedEvents(plan, played);
  await waitForEvents(expected.size, () => distinctDeliveries(receiver.deliveries, ledger).size);

  const reader = new LedgerReader(client, ledger);
  const { transactions, lastPage } = await reader.allTransactions();
  const back = await reader.idsBackFrom(lastPage);
  const accounts = await reader.allAccounts();
  return [
    checkTransactions(transactions, played),
    checkWayBack(transactions, back),
    checkAccounts(accounts, outcome.books),
    checkConservation(accounts),
    checkAccountMetadata(accounts, outcome.accountMetadata),
    await checkAbsence(outcome.absentAccounts, reader),
    checkEvents(distinctDeliveries(receiver.deliveries, ledger), expected),
    checkSignatures(receiver.deliveries),
    await checkImport({ client, ledger, contents: { transactions, accounts } }),
    await playTemplates(client, `${ledger}-bank`),
    await playPayments(client, { name: ledger, print }),
    await playOrchestration(client, { name: ledger, print }),
    ...(await playReconciliation(client, { name: ledger, print })),
  ];
}

/** Imports the log of the ledger into another ledger and compares both. */
async function checkImport({ client, ledger, contents }: Copying): Promise<Check> {
  const log = await new LedgerReader(client, ledger).exportLog();
  const name = `${ledger}-copy`;
  await client.sdk.ledger.v2.createLedger({ ledger: name, v2CreateLedgerRequest: {} });
  const copy = new LedgerReader(client, name);
  await copy.importLog(log);
  const { transactions } = await copy.allTransactions();
  const accounts = await copy.allAccounts();
  return checkCopy({ ...contents, log }, { log: await copy.exportLog(), transactions, accounts });
}

interface Copying {
  readonly client: Client;
  readonly ledger: string;
  readonly contents: Omit<Contents, "log">;
}

async function play({ hours }: Plan, player: Player): Promise<void> {
  for (const hour of hours) {
    const startedMs = performance.now();
    const before = { ...player.counts };
    await player.play(hour);
    const { requests, transactions, replays, refusals } = player.counts;
    print(
      `  ${hour.title.padEnd(8)} ${count(transactions - before.transactions, "transaction")} by ${count(requests - before.requests, "request")}, ` +
        `${count(replays - before.replays, "replay")}, ${count(refusals - before.refusals, "refusal")}, ${secondsSince(startedMs)}`,
    );
  }
  print(`  the day has ${count(player.counts.transactions, "transaction")}`);
}

/** Receives the server's webhooks in this process while `work` runs. */
async function withWebhooks<T>(
  client: Client,
  work: (receiver: WebhookReceiver) => Promise<T>,
): Promise<T> {
  const receiver = await WebhookReceiver.open();
  try {
    const { id, secret } = await subscribe(client, receiver.url);
    receiver.expectSecret(secret);
    try {
      return await work(receiver);
    } finally {
      await client.sdk.webhooks.v1.deactivateConfig({ id });
    }
  } finally {
    await receiver.close();
  }
}

async function subscribe(
  client: Client,
  endpoint: string,
): Promise<{ id: string; secret: string }> {
  const { configResponse } = await client.sdk.webhooks.v1
    .insertConfig({ endpoint, eventTypes: [...EVENT_TYPES] })
    .catch((cause: unknown) => {
      throw new OperatorError(
        `The server refuses to send webhooks to ${endpoint}: ${String(cause)}\nThe demo is for a server on this machine, with FLORIN_ALLOW_PRIVATE_HOSTS=true.`,
        { cause },
      );
    });
  if (configResponse === undefined) throw new Error("the SDK gives no webhook config");
  print(`  receives webhooks at ${endpoint}`);
  return configResponse.data;
}

/** Longest time until the next webhook arrives, in milliseconds. */
const SILENCE_MS_MAX = 20_000;
const POLL_MS = 250;
const PROGRESS_MS = 2000;

/** Waits until all expected events have arrived, or no more arrive, and then a moment longer to notice surplus events. */
async function waitForEvents(expected: number, countArrived: () => number): Promise<void> {
  let arrived = countArrived();
  let changedMs = performance.now();
  let printedMs = performance.now();
  while (arrived < expected && performance.now() - changedMs < SILENCE_MS_MAX) {
    await delay(POLL_MS);
    const now = countArrived();
    if (now > arrived) changedMs = performance.now();
    arrived = now;
    if (performance.now() - printedMs < PROGRESS_MS) continue;
    printedMs = performance.now();
    print(`  ${arrived} of ${expected} webhooks have arrived`);
  }
  await delay(POLL_MS);
}

/** Most differences that are printed for one check. */
const DIFFERENCES_MAX = 10;

/** Prints the checks, and returns the number of failed ones. */
function report(checks: readonly Check[]): number {
  print("");
  for (const { title, differences } of checks) {
    print(`${differences.length === 0 ? "ok    " : "FAILED"} ${title}`);
    for (const difference of differences.slice(0, DIFFERENCES_MAX)) print(`         ${difference}`);
    const more = differences.length - DIFFERENCES_MAX;
    if (more > 0) print(`         and ${more} more`);
  }
  return checks.filter(({ differences }) => differences.length > 0).length;
}

/** A name that no earlier run used, so that the demo can be played again on the same data. */
const newLedgerName = (): string =>
  `demo-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, "")}-${process.pid}`;

const count = (amount: number, noun: string): string =>
  `${String(amount).padStart(4)} ${noun}${amount === 1 ? "" : "s"}`;

const secondsSince = (startedMs: number): string =>
  `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const USAGE = `Usage: ${commandOf("demo")}

Plays a day on a marketplace against a running server, checks every unit of money, and leaves what it made. It takes no options, but
variables of the environment; by default, it plays on the server of this folder:

  FLORIN_URL            the server
  FLORIN_CLIENT_ID      a client of the server with all scopes, and
  FLORIN_CLIENT_SECRET  its secret
  FLORIN_STATE_DIR      the folder of the local server's state, .florin by default`;

await run(demo, { text: USAGE });
