import { describe, expect, test } from "vitest";
import { noopDriver } from "#modules/exporters/drivers/noop.ts";
import { queueDriver } from "#modules/exporters/drivers/queue.ts";
import { r2Driver } from "#modules/exporters/drivers/r2.ts";
import { parseJson } from "#platform/json.ts";
import { FakeServer, configErrorOf, item, items } from "#test/support/exporters/destinations.ts";

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

describe("the queue driver", () => {
  class FakeQueue {
    readonly batches: MessageSendRequest[][] = [];
    async sendBatch(messages: Iterable<MessageSendRequest>): Promise<void> {
      this.batches.push([...messages]);
    }
  }

  test("the queue driver sends a message for each entry, in calls that the platform takes", async () => {
    const queue = new FakeQueue();
    const context = new FakeServer().context({ bindings: { EXPORT_LOGS: queue } });
    const destination = queueDriver.open({ binding: "EXPORT_LOGS" }, context);
    expect(await destination.send("main", items(1, 250))).toBeUndefined();
    expect(queue.batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    const messages = queue.batches.flat();
    expect(messages.every(({ contentType }) => contentType === "text")).toBe(true);
    expect(messages.map(({ body }) => (parseJson(body as string) as { id: number }).id)).toEqual(
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    expect(parseJson(messages[0]?.body as string)).toMatchObject({ ledger: "main", id: 1 });
  });

  test("the queue driver reports which entry is too large for a message, and sends none", async () => {
    const queue = new FakeQueue();
    const context = new FakeServer().context({ bindings: { EXPORT_LOGS: queue } });
    const large = { id: 2, text: `{"id":2,"type":"${"x".repeat(128_000)}"}` };
    const problem = await queueDriver
      .open({ binding: "EXPORT_LOGS" }, context)
      .send("main", [item(1), large]);
    expect(problem).toBe(
      "log entry 2 is larger than a message of a queue, which has at most 127000 bytes",
    );
    expect(queue.batches).toEqual([]);
  });

  test.each([
    ["", "binding is required"],
    ["EXPORT_NONE", "binding 'EXPORT_NONE' names no queue of this Worker"],
    ["EXPORT_BUCKET", "binding 'EXPORT_BUCKET' names no queue of this Worker"],
    ["EVENTS", "binding must begin with 'EXPORT_'"],
    ["DELIVERIES", "binding must begin with 'EXPORT_'"],
    ["LOGS", "binding must begin with 'EXPORT_'"],
    ["export_LOGS", "binding must begin with 'EXPORT_'"],
    ["__proto__", "binding must begin with 'EXPORT_'"],
  ])("the queue driver refuses the binding %j", (binding, message) => {
    const bindings = {
      EVENTS: new FakeQueue(),
      DELIVERIES: new FakeQueue(),
      LOGS: new FakeQueue(),
      export_LOGS: new FakeQueue(),
      EXPORT_BUCKET: { put: () => undefined },
    };
    const context = new FakeServer().context({ bindings });
    const error = configErrorOf((config) => queueDriver.open(config, context), { binding });
    expect(error).toMatchObject({ field: "binding", message });
  });
});

describe("the r2 driver", () => {
  test("the r2 driver writes an object for each batch, and overwrites none with other contents", async () => {
    const objects = new Map<string, string>();
    const bucket = {
      put: async (key: string, text: string) => void objects.set(key, text),
      createMultipartUpload: () => undefined,
    };
    const context = new FakeServer().context({ bindings: { EXPORT_BUCKET: bucket } });
    const destination = r2Driver.open({ binding: "EXPORT_BUCKET", prefix: "logs/" }, context);
    await destination.send("main", items(1, 3));
    await destination.send("main", [item(4)]);
    const whole = "logs/main/0000000000000001-0000000000000003-20260301T093100.123456Z.ndjson";
    const keys = [
      whole,
      "logs/main/0000000000000004-0000000000000004-20260301T093100.123456Z.ndjson",
    ];
    expect([...objects.keys()]).toEqual(keys);
    // A repeated batch makes no new object. A smaller batch does, and so does a batch of another ledger with the name.
    await destination.send("main", items(1, 3));
    expect([...objects.keys()]).toEqual(keys);
    await destination.send("main", items(1, 2));
    const other = items(1, 3).map(({ id, text }) => ({ id, text: text.replace("2026", "2027") }));
    await destination.send("main", other);
    expect([...objects.keys()].slice(2)).toEqual([
      "logs/main/0000000000000001-0000000000000002-20260301T093100.123456Z.ndjson",
      "logs/main/0000000000000001-0000000000000003-20270301T093100.123456Z.ndjson",
    ]);
    const lines = linesOf(objects.get(whole) ?? "");
    expect(lines.map((line) => parseJson(line))).toEqual(
      items(1, 3).map(({ text }) => ({ ...(parseJson(text) as object), ledger: "main" })),
    );
  });

  test.each([
    [{}, "binding"],
    [{ binding: "EXPORT_QUEUE" }, "binding"],
    [{ binding: "EXPORT_BUCKET", prefix: "x".repeat(201) }, "prefix"],
    [{ binding: "EXPORT_BUCKET", path: "x" }, "path"],
  ])("the r2 driver refuses %j because of %s", (config, field) => {
    const bucket = { put: () => undefined, createMultipartUpload: () => undefined };
    const bindings = { EXPORT_QUEUE: { sendBatch: () => undefined }, EXPORT_BUCKET: bucket };
    const context = new FakeServer().context({ bindings });
    expect(configErrorOf((given) => r2Driver.open(given, context), config)?.field).toBe(field);
  });
});

test("the noop driver accepts everything", async () => {
  const server = new FakeServer();
  const destination = noopDriver.open({ anything: 1 }, server.context());
  expect(await destination.send("main", items(1, 3))).toBeUndefined();
  expect(server.calls).toEqual([]);
  expect(
    configErrorOf((config) => noopDriver.open(config, server.context()), {
      batching: { maxItems: "x" },
    })?.field,
  ).toBe("batching.maxItems");
});
