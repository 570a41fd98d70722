import { setTimeout as delay } from "node:timers/promises";
import { type Outcome, outcomeOf } from "./demo/books.ts";
import {
  type Check,
  checkAccountMetadata,
  checkAccounts,
  checkConservation,
  checkTransactions,
  checkWayBack,
} from "./demo/checks.ts";
import { Client } from "./demo/client.ts";
import { planDay } from "./demo/day.ts";
import {
  checkEvents,
  checkSignatures,
  distinctDeliveries,
  EVENT_TYPES,
  expectedEvents,
} from "./demo/event-checks.ts";
import { LedgerReader } from "./demo/ledger-reader.ts";
import type { Plan } from "./demo/plan.ts";
import { Player } from "./demo/player.ts";
import { WebhookReceiver } from "./demo/receiver.ts";
import { findTarget } from "./demo/target.ts";
import { run } from "./lib/main.ts";
import { OperatorError } from "./lib/project.ts";

/** `npm run demo`: plays a day of a marketplace on a running server and checks every cent of it. */
await run(async () => {
  const startedMs = performance.now();
  const target = findTarget(process.env);
  print(`Florin at ${target.url}`);
  const client = await Client.connect(target);
  const ledger = `demo-${new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)}-${process.pid}`;
  await client.sdk.ledger.v2.createLedger({ ledger, v2CreateLedgerRequest: {} });
  print(`got a token, made the ledger ${ledger}`);

  const receiver = await WebhookReceiver.open();
  try {
    const configId = await subscribe(client, receiver);
    try {
      await runDay({ client, ledger, receiver });
    } finally {
      await client.sdk.webhooks.v1.deleteConfig({ id: configId });
    }
  } finally {
    await receiver.close();
  }
  print(`\nAll checks passed in ${seconds(startedMs)}.`);
});
