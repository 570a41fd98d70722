import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { LiveEvent } from "#modules/events/core/event-ring.ts";
import { liveListener } from "#modules/events/event-listener.ts";
import { eventStreamOf, openEventStream } from "#modules/events/event-stream.ts";
import { LiveRecorder } from "#modules/events/live-recorder.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { EventStreamObject } from "#src/index.ts";
import { openStream, requestStream, shortOf, storedAfter } from "#test/support/events/streams.ts";
import { freshLedger, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

const object = () => eventStreamOf(env);

const eventOf = (id: string, fields: Partial<LiveEvent> = {}): LiveEvent => ({
  id,
  name: "ledger.saved_metadata",
  ledger: "shop",
  body: `{"type":"${fields.name ?? "ledger.saved_metadata"}"}`,
  ...fields,
});

const record = (...events: LiveEvent[]): Promise<void> => object().record(events, false);

const context = () => systemContext(env, "test");

/** Whether the object has stored that its last stream was closed. */
const hasIdleTime = (): Promise<boolean> =>
  runInDurableObject(object(), (_instance: EventStreamObject, { storage }) => {
    const [row] = storage.sql.exec("SELECT idle_since_ms FROM recording").toArray();
    return typeof row?.["idle_since_ms"] === "number";
  });

/** Sets the time at which the last stream was closed so far back that the recording ends. */
async function passIdleTime(): Promise<void> {
  await runInDurableObject(object(), (_instance: EventStreamObject, { storage }) => {
    storage.sql.exec("UPDATE recording SET idle_since_ms = 0 WHERE idle_since_ms IS NOT NULL");
  });
  await evict(object());
  expect(await runDurableObjectAlarm(object())).toBe(true);
}

describe("an event stream without listeners", () => {
  test("consumers confirm messages unread while nobody listens, and what comes nevertheless is dropped", async () => {
    // The isolate uses what it has read for a moment, also what it has read for a file of tests before this one.
    await eventually(async () => expect(await liveListener.open([], context())).toBeUndefined());
    await record(eventOf("lost"));
    await runInDurableObject(object(), (_instance: EventStreamObject, { storage }) => {
      expect(storage.sql.exec("SELECT * FROM entry").toArray()).toEqual([]);
    });
  });
});

describe("a stream", () => {
  test("a stream of events shows what happens in a ledger, as webhooks deliver it", async () => {
    const ledger = await freshLedger();
    const { reader } = await openStream({ query: `types=ledger.*&ledger=${ledger}` });
    const reference = freshName();
    await post(ledger, pay("world -> a", 10n ** 30n, { reference }));
    const { data = "", event } = await reader.nextData();
    expect(event).toBe("message");
    expect(data).toContain(`"amount":${10n ** 30n},`);
    expect(data).toMatch(/^\{"id":"[0-9a-f-]{36}:1","event":\{/);
    expect(JSON.parse(data)).toMatchObject({
      event: {
        idempotency_key: "",
        app: "ledger",
        version: "v2",
        type: "ledger.committed_transactions",
        payload: { ledger, transactions: [{ reference }] },
      },
    });
  });

  test("a stream of events shows the types and ledgers that it was asked for", async () => {
    const names = ["ledger.a", "ledger.b", "payments.a", "payments.b"];
    const streams = await Promise.all(
      [
        "types=ledger.*",
        "types=ledger.b,payments.a",
        "types=ledger.a&types=payments.b",
        "ledger=shop",
      ].map((query) => openStream({ query })),
    );
    const prefix = freshName();
    await record(
      ...names.map((name) =>
        eventOf(`${prefix} ${name}`, { name, ledger: name.endsWith("a") ? "shop" : undefined }),
      ),
    );
    const shown = await Promise.all(
      streams.map(async ({ reader }) => [
        shortOf(await reader.nextData()),
        shortOf(await reader.nextData()),
      ]),
    );
    expect(shown.map((ids) => ids.map((id) => id.slice(prefix.length + 1)))).toEqual([
      ["ledger.a", "ledger.b"],
      ["ledger.b", "payments.a"],
      ["ledger.a", "payments.b"],
      ["ledger.a", "payments.a"],
    ]);
  });

  test("a stream of events shows a token for some ledgers no others", async () => {
    const [mine, other] = [freshName(), freshName()];
    const { from } = await openStream();
    await record(eventOf("of mine", { ledger: mine }), eventOf("of another", { ledger: other }));
    const { principal, ...rest } = context();
    const texts = async (ledgers: readonly string[] | undefined) => {
      const stream = await openEventStream(
        { ...rest, principal: { ...principal, ledgers: [mine] } },
        { filter: { types: ["*"], ledgers }, lastEventId: from, follows: false },
      );
      return new Blob(await Array.fromAsync(stream)).text();
    };
    expect(await texts(undefined)).toContain("of mine");
    expect(await texts(undefined)).not.toContain("of another");
    expect(await texts([other])).not.toContain("data:");
  });

  test.each([
    ["types=ledger", '"ledger" is no type'],
    ["types=ledger.*,led*", '"led*" is no type'],
    ["types=*.x", "is no type"],
    [`types=${Array.from({ length: 101 }, (_, i) => `a.b${i}`).join()}`, "at most 100"],
    ["follow=maybe", "follow"],
  ])("a stream of events is refused where the query is wrong: %s", async (query, message) => {
    const refusal = await refusalOf(requestStream({ query }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(message);
  });

  test("a stream of events is for tokens that may read webhooks", async () => {
    const path = "/api/florin/v1/events/stream";
    expect(await refusalOf(api(path, { token: null }))).toMatchObject({ status: 401 });
    const other = await token("ledger:write");
    expect(await refusalOf(api(path, { token: other }))).toMatchObject({ status: 401 });
  });

  test("a stream of events is one of a bounded number", async () => {
    const open: ReadableStream[] = [];
    const tryOpen = async (): Promise<Response> => {
      const response = await requestStream();
      if (response.status === 200) open.push(present(response.body, "a stream has a body"));
      return response;
    };
    try {
      let last = await tryOpen();
      while (last.status === 200 && open.length <= 100) last = await tryOpen();
      const { status, message } = await refusalOf(last);
      expect(status).toBe(429);
      expect(message).toContain("100 event streams are open");
      await open.pop()?.cancel();
      await eventually(async () => {
        expect((await tryOpen()).status).toBe(200);
      });
    } finally {
      for (const body of open) await body.cancel();
    }
  });
});

describe("a reader that comes again", () => {
  let from: string;
  const ids = ["first", "second", "third"].map((name) => freshName(name));

  beforeAll(async () => {
    const stream = await requestStream({ query: "follow=false" });
    from = /id: (\d+)/.exec(await stream.text())?.[1] ?? "";
    await record(...ids.map((id) => eventOf(id)));
  });

  const follow = (id: string) => storedAfter(id, "types=*");
  const idOf = (offset: number): string => String(Number(from) + offset);

  test("a consumer that comes back to a stream gets what came after the last id, each event once", async () => {
    await record(eventOf(ids[0] ?? ""), eventOf(ids[2] ?? ""));
    expect(await follow(from)).toEqual(ids);
    expect(await follow(idOf(1))).toEqual(ids.slice(1));
    expect(await follow(idOf(3))).toEqual([]);
  });

  test("a consumer that comes back to a stream gets what it missed also after the object was restarted", async () => {
    await evict(object());
    await record(eventOf(ids[1] ?? ""));
    expect(await follow(idOf(1))).toEqual(ids.slice(1));
  });

  test("a consumer that comes back to a stream gets what it missed on a stream that goes on", async () => {
    const { reader } = await openStream({ lastEventId: idOf(2) });
    expect(shortOf(await reader.nextData())).toBe(ids[2]);
    const next = freshName("next");
    await record(eventOf(next));
    expect(shortOf(await reader.nextData())).toBe(next);
  });

  test("a consumer that comes back to a stream hears of a gap where the consumer could not reach the object", async () => {
    const { from: before, reader } = await openStream({ query: "types=payments.*" });
    await object().record([eventOf(freshName())], true);
    expect(shortOf(await reader.nextData())).toBe("gap");
    expect(await storedAfter(before, "types=payments.*")).toEqual(["gap"]);
  });

  test.each(["999999999", "ledger:7", "-1", "1".repeat(40)])(
    "a consumer that comes back to a stream hears of a gap where the id %s is unknown, and gets what is there",
    async (id) => {
      const [gap, ...others] = await follow(id);
      expect(gap).toBe("gap");
      expect(others).toEqual(expect.arrayContaining(ids));
    },
  );
});

describe("some time after the last stream was closed", () => {
  test("events are no longer recorded some time after the last stream was closed, and a later stream hears of a gap", async () => {
    const { from, reader } = await openStream();
    const event = freshName();
    await record(eventOf(event));
    expect(shortOf(await reader.nextData())).toBe(event);
    const recorder = LiveRecorder.from(env);
    expect(await eventually(async () => recorder.isRecording())).toBe(true);
    await reader.cancel();
    await eventually(async () => {
      await passIdleTime();
      await runInDurableObject(object(), (_instance: EventStreamObject, { storage }) => {
        const [row] = storage.sql.exec("SELECT is_on FROM recording").toArray();
        expect(row).toEqual({ is_on: 0 });
      });
    });
    expect((await env.DB.prepare("SELECT * FROM event_recordings").all()).results).toEqual([]);
    await record(eventOf(freshName("lost")));
    expect(await storedAfter(String(Number(from) + 1))).toEqual(["gap"]);
    // The request above has begun a new recording.
    expect(await storedAfter(String(Number(from) + 2))).toEqual([]);
  });

  test("events are no longer recorded after the last stream was closed, once more have come than are kept", async () => {
    const { from, reader } = await openStream();
    await reader.cancel();
    const large = "x".repeat(450_000);
    const isOn = () =>
      runInDurableObject(object(), (_instance: EventStreamObject, { storage }) => {
        const [row] = storage.sql.exec("SELECT is_on FROM recording").toArray();
        return row?.["is_on"] === 1;
      });
    const recordLarge = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) await record(eventOf(freshName("large"), { body: large }));
    };
    await eventually(async () => {
      expect(await hasIdleTime()).toBe(true);
    });
    await recordLarge(20);
    expect(await isOn()).toBe(true);
    await recordLarge(20);
    await eventually(async () => {
      await runDurableObjectAlarm(object());
      expect(await isOn()).toBe(false);
    });
    expect((await env.DB.prepare("SELECT * FROM event_recordings").all()).results).toEqual([]);
    expect(await storedAfter(from)).toEqual(["gap"]);
  });
});
