import { ClientProcess } from "../client.ts";
import type { Report } from "../report.ts";
import { countOf, type StreamResult } from "../streams.ts";
import { type World, WRITE } from "../world.ts";
import { idOf } from "./ids.ts";
import { percentiles } from "#bench/load/percentiles.ts";

const TRIGGERS = 1000;
const BURNING = 100;
const WRITES_PER_SECOND = 20;
const WRITERS = 4;
const WEBHOOKS_MS = 20_000;
const THROUGHPUT_MS = 10_000;
/** Wait for webhooks after the last write, in milliseconds. */
const LATE_MS = 5000;

/** A filter that takes all steps of an evaluation. The cheap filters are decided by their first test. */
const BURNING_FILTER = "all(1..1000, let outer = #; all(1..1000, # + outer > 0))";
const CHEAP_FILTER = 'event.ledger == "nowhere-{n}" and all(1..1000, # > 0)';

/** Adds a thousand triggers, a hundred of which use up their steps at each event, beside writes and their webhooks. */
export async function abuseTriggers(world: World): Promise<Report> {
  const { healthy, receiver } = world;
  const client = new ClientProcess();
  const triggers: string[] = [];
  try {
    const without = await throughput(client, world);
    triggers.push(...(await addTriggers(world)));
    const beside = await throughput(client, world);
    const config = {
      endpoint: receiver.url("/hook"),
      eventTypes: ["ledger.committed_transactions"],
    };
    const made = await healthy.send("POST", "/api/webhooks/configs", JSON.stringify(config));
    receiver.take();
    const writes = await write(client, world, {
      name: "writes beside triggers, at a fixed rate",
      durationMs: WEBHOOKS_MS,
      pace: { kind: "rate", perSecond: WRITES_PER_SECOND },
    });
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    const webhooksMs = receiver.take();
    await healthy.send("DELETE", `/api/webhooks/configs/${idOf(made)}`);
    const sent = countOf(writes, /^2/);
    const scenario = "triggers";
    return {
      figures: [
        {
          scenario,
          name: "p99 of a webhook, from the write on",
          value: webhooksMs.length < sent ? Infinity : percentiles(webhooksMs).p99Ms,
          unit: "ms",
          most: 2000,
        },
        {
          scenario,
          name: "webhooks that came, of each write",
          value: webhooksMs.length / sent,
          unit: "",
          least: 1,
        },
        {
          scenario,
          name: "writes a second, of those without triggers",
          value: rateOf(beside) / rateOf(without),
          unit: "",
          least: 0.8,
        },
        {
          scenario,
          name: "p99 of a write beside triggers",
          value: percentiles(writes.timesMs).p99Ms,
          unit: "ms",
        },
      ],
      streams: [without, beside, writes],
    };
  } finally {
    await client.stop();
    for (const id of triggers) {
      await world.abuser.send("DELETE", `/api/orchestration/v2/triggers/${id}`);
    }
  }
}

const rateOf = (result: StreamResult): number => countOf(result, /^2/) / result.seconds;

const throughput = (client: ClientProcess, world: World): Promise<StreamResult> =>
  write(client, world, {
    name: "writes as fast as they go",
    durationMs: THROUGHPUT_MS,
    pace: { kind: "loop", clients: WRITERS },
  });

async function write(
  client: ClientProcess,
  { healthy }: World,
  {
    name,
    durationMs,
    pace,
  }: {
    readonly name: string;
    readonly durationMs: number;
    readonly pace:
      | { readonly kind: "rate"; readonly perSecond: number }
      | { readonly kind: "loop"; readonly clients: number };
  },
): Promise<StreamResult> {
  const streams = [{ name, pace, requests: [WRITE], headers: healthy.headers }];
  const [result] = await client.run({ origin: healthy.url, durationMs, streams });
  if (result === undefined) throw new Error("each stream has a result");
  return result;
}

/** Adds the triggers, and returns their ids, by which they are deleted before the next round. */
async function addTriggers({ abuser }: World): Promise<string[]> {
  const ids: string[] = [];
  const workflow = JSON.stringify({ stages: [{ delay: { duration: "1s" } }] });
  const workflowID = idOf(await abuser.send("POST", "/api/orchestration/v2/workflows", workflow));
  for (let number = 0; number < TRIGGERS; number++) {
    const filter = number < BURNING ? BURNING_FILTER : CHEAP_FILTER.replace("{n}", `${number}`);
    const made = await abuser.send(
      "POST",
      "/api/orchestration/v2/triggers",
      JSON.stringify({
        name: `abuse ${number}`,
        event: "COMMITTED_TRANSACTIONS",
        filter,
        workflowID,
      }),
    );
    ids.push(idOf(made));
  }
  return ids;
}
