import { setTimeout as delay } from "node:timers/promises";
import { ClientProcess } from "../client.ts";
import type { Report } from "../report.ts";
import { countOf } from "../streams.ts";
import { ABUSED_LEDGER, type World, WRITE } from "../world.ts";
import { idOf } from "./ids.ts";
import { percentiles } from "#bench/load/percentiles.ts";

const DURATION_MS = 20_000;
/** Time from the start of the well-behaved client to the start of the others, in milliseconds. */
const BEFORE_MS = 1000;
const WRITES_PER_SECOND = 20;
const WAITING = 500;
const EXPORTS = 100;
const CONFIGS = 300;
const LISTENERS = 1000;

/** One client waits for workflows, exports, adds webhooks at a dead host and listens, all at once, beside the writes of another client. */
export async function abuseTogether(world: World): Promise<Report> {
  const { abuser, healthy, receiver } = world;
  const workflow = JSON.stringify({ stages: [{ delay: { duration: "30s" } }] });
  const flow = idOf(await abuser.send("POST", "/api/orchestration/v2/workflows", workflow));
  const config = JSON.stringify({
    endpoint: `${receiver.url("/dead")}/{n}`,
    eventTypes: ["ledger.committed_transactions"],
  });
  const [abusers, writer] = [new ClientProcess(), new ClientProcess()];
  const { headers } = abuser;
  try {
    const writing = writer.run({
      origin: healthy.url,
      durationMs: DURATION_MS,
      streams: [
        {
          name: "healthy writes",
          pace: { kind: "rate", perSecond: WRITES_PER_SECOND },
          requests: [WRITE],
          headers: healthy.headers,
        },
      ],
    });
    await delay(BEFORE_MS);
    const abuse = abusers.run({
      origin: abuser.url,
      durationMs: DURATION_MS - BEFORE_MS,
      streams: [
        {
          name: "starts with wait=true",
          pace: { kind: "burst", count: WAITING },
          requests: [
            {
              method: "POST",
              path: `/api/orchestration/v2/workflows/${flow}/instances?wait=true`,
              body: "{}",
            },
          ],
          headers,
        },
        {
          name: "exports",
          pace: { kind: "burst", count: EXPORTS },
          requests: [{ method: "POST", path: `/api/ledger/v2/${ABUSED_LEDGER}/logs/export` }],
          headers,
        },
        {
          name: "webhook configs at a dead host",
          pace: { kind: "burst", count: CONFIGS },
          requests: [{ method: "POST", path: "/api/webhooks/configs", body: config }],
          headers,
        },
        {
          name: "listeners",
          pace: { kind: "burst", count: LISTENERS },
          requests: [{ method: "GET", path: "/api/florin/v1/events/stream?types=*" }],
          headers,
        },
      ],
    });
    const [streams, [writes]] = await Promise.all([abuse, writing]);
    if (writes === undefined) throw new Error("each stream has a result");
    const scenario = "together";
    return {
      figures: [
        {
          scenario,
          name: "p99 of a write beside all of it",
          value: percentiles(writes.timesMs).p99Ms,
          unit: "ms",
          most: 200,
        },
        {
          scenario,
          name: "healthy writes that failed",
          value: WRITES_PER_SECOND * (DURATION_MS / 1000) - countOf(writes, /^200$/),
          unit: "",
          most: 0,
        },
      ],
      streams: [...streams, writes],
    };
  } finally {
    await Promise.all([abusers.stop(), writer.stop()]);
    await removeConfigs(world);
  }
}

/** Deletes the webhook configs, because the next round adds its own. */
async function removeConfigs({ abuser }: World): Promise<void> {
  for (;;) {
    const page = (await abuser.send("GET", "/api/webhooks/configs")) as {
      cursor: { data: { id: string }[] };
    }; // The API has this form.
    if (page.cursor.data.length === 0) return;
    for (const { id } of page.cursor.data) {
      await abuser.send("DELETE", `/api/webhooks/configs/${id}`);
    }
  }
}
