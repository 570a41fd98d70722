import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import {
  freshExporter,
  freshPipeline,
  pipelineOf,
  stateOf,
} from "#test/support/exporters/pipelines.ts";
import { freshLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const write = async (ledger: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await okBodyOf(post(ledger, pay("world -> a", 1)));
};

const settled = (ledger: string, id: string, lastLogID: number): Promise<void> =>
  eventually(async () => expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID }));

describe("bindings of the Worker", () => {
  test("bindings of the Worker take the log as objects in a bucket", async () => {
    const ledger = await freshLedger();
    await write(ledger, 5);
    const config = {
      binding: "EXPORT_BUCKET",
      prefix: "logs/",
      batching: { maxItems: 3, flushInterval: "1ms" },
    };
    const id = await freshPipeline(ledger, await freshExporter("r2", config));
    await settled(ledger, id, 5);
    const { objects } = await env.EXPORT_BUCKET.list({ prefix: `logs/${ledger}/` });
    const texts = await Promise.all(
      objects.map(async ({ key }) => (await env.EXPORT_BUCKET.get(key))?.text()),
    );
    const entries = texts.map((text = "") =>
      text
        .trim()
        .split("\n")
        .map((line) => parseJson(line)),
    );
    expect(entries).toMatchObject([
      [{ id: 1, ledger }, { id: 2 }, { id: 3 }],
      [{ id: 4 }, { id: 5 }],
    ]);
    // Objects and messages contain nothing about the writer of the log except the log itself.
    const stored = JSON.stringify([objects, texts]);
    expect(stored).toContain("world");
    const { FLORIN_CLIENT_SECRET: secret, FLORIN_SECRET_KEY: key } = TEST_SETTINGS;
    for (const text of [secret, key, await token()]) expect(stored).not.toContain(text);
  });

  test("bindings of the Worker take the log as messages of a queue", async () => {
    const ledger = await freshLedger();
    await write(ledger, 2);
    const exporter = await freshExporter("queue", { binding: "EXPORT_QUEUE" });
    const id = await freshPipeline(ledger, exporter);
    await settled(ledger, id, 2);
    const delivered = { entries: 2 };
    expect(await stateOf(ledger, id)).toMatchObject({ state: "started", delivered });
  });
});
