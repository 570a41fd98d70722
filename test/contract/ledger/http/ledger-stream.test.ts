import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { admissionOf } from "#platform/admission/admission.ts";
import {
  createLedger,
  freshLedger,
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import {
  bucketsAt,
  deleteBucket,
  freshBucket,
  ledgerIn,
  restoreBucket,
} from "#test/support/ledger/buckets.ts";
import {
  balancesOf,
  entriesUpTo,
  entryOf,
  openLedgerStream,
  requestLedgerStream,
  storedEvents,
} from "#test/support/ledger/ledger-streams.ts";
import { freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

/** Commits transactions, one after another. */
async function commit(ledger: string, ...ways: string[]): Promise<void> {
  for (const way of ways) await okBodyOf(post(ledger, pay(way, 10)));
}

const setMetadata = (ledger: string, path: string): Promise<Response> =>
  inLedger(ledger, `${path}/metadata`, { body: { k: "v" } });

const shortOf = (blocks: readonly { event: string; data: string | undefined }[]): string[] =>
  blocks.map(({ event, data = "" }) =>
    event === "entry" ? `entry ${entryOf({ id: "", event, data }).id}` : `${event} ${data}`,
  );

describe("a stream of a ledger", () => {
  test("a stream of a ledger shows each new entry as the list of log entries does", async () => {
    const ledger = await freshLedger();
    await commit(ledger, "world -> before");
    const { from, reader } = await openLedgerStream(ledger);
    expect(from).toMatch(/^1\.[0-9a-f]{8}$/);
    await okBodyOf(post(ledger, pay("world -> a", 10n ** 30n, { reference: freshName() })));
    await setMetadata(ledger, "/accounts/a");
    const blocks = [await reader.nextData(), await reader.nextData()];
    const listed = await (await inLedger(ledger, "/logs?pageSize=2")).text();
    for (const { event, data = "" } of blocks) {
      expect(event).toBe("entry");
      expect(listed).toContain(data);
    }
    const tag = from.split(".")[1];
    expect(blocks.map(({ id }) => id)).toEqual([`2.${tag}`, `3.${tag}`]);
    expect(blocks[0]?.data).toContain(`"amount":${10n ** 30n},`);
  });

  test("a stream of a ledger shows the last balances of accounts, together with entries or alone", async () => {
    const ledger = await freshLedger();
    await commit(ledger, "world -> users:1:main", "users:1:main -> fees", "world -> users:1:main");
    await okBodyOf(post(ledger, pay("world -> users:2:main", 10n ** 30n)));
    const query = "events=balances&accounts=users:*:main&after=-1";
    const [alone, ...none] = await storedEvents(ledger, { query });
    expect(none).toEqual([]);
    expect(alone?.id).toMatch(/^4\./);
    expect(balancesOf(alone ?? { id: "", event: "", data: "" })).toEqual([
      { account: "users:1:main", asset: "USD", input: 20, output: 10, balance: 10, logId: 3 },
      {
        account: "users:2:main",
        asset: "USD",
        input: 10n ** 30n,
        output: 0,
        balance: 10n ** 30n,
        logId: 4,
      },
    ]);
    const both = await storedEvents(ledger, {
      query: "events=entry,balances&accounts=fees&after=0",
    });
    expect(both.map(({ event, id }) => [event, id?.split(".")[0]])).toEqual([
      ["balances", "0"],
      ["entry", "2"],
    ]);
  });

  describe("with accounts", () => {
    let ledger: string;
    beforeAll(async () => {
      ledger = await freshLedger();
      await commit(ledger, "world -> users:1:main", "users:1:main -> fees");
      await setMetadata(ledger, "/accounts/other");
      await setMetadata(ledger, "/transactions/1");
      await okBodyOf(inLedger(ledger, "/transactions/2/revert", { method: "POST" }));
    });

    test.each([
      ["accounts=users:*:main", [1, 2, 5]],
      ["accounts=users::main", [1, 2, 5]],
      ["accounts=users:...", [1, 2, 5]],
      ["accounts=users", []],
      ["accounts=fees,other", [2, 3, 5]],
      ["accounts=fees&accounts=other", [2, 3, 5]],
      ["accounts=...", [1, 2, 3, 5]],
      ["accounts=other:*,*:1:*", [1, 2, 5]],
      ["accounts=nobody", []],
      ["", [1, 2, 3, 4, 5]],
    ])(
      "a stream of a ledger shows the entries that concern the accounts: %s",
      async (query, ids) => {
        const found = await storedEvents(ledger, { query: `${query}&after=0` });
        expect(found.map((block) => entryOf(block).id)).toEqual(ids);
      },
    );

    test("a stream of a ledger shows new entries only where they concern its accounts", async () => {
      const { reader } = await openLedgerStream(ledger, { query: "accounts=live:*" });
      await commit(
        ledger,
        "world -> unseen",
        "world -> live:1",
        "world -> unseen",
        "world -> live:2",
      );
      const last = (await logIdsOf(ledger)).at(-1) ?? 0;
      expect(await entriesUpTo(reader, last)).toEqual([last - 2, last]);
    });
  });

  test("a stream of a ledger goes on after the id, and finds no entry twice while others are written", async () => {
    const ledger = await freshLedger();
    const wanted = 60;
    const writing = commit(ledger, ...Array.from({ length: wanted }, (_, i) => `world -> a:${i}`));
    const seen: number[] = [];
    let lastEventId: string | undefined = "-1";
    while (seen.length < wanted) {
      const { reader } = await openLedgerStream(ledger, { lastEventId });
      for (let count = 0; count < 7 && seen.length < wanted; count++) {
        const block = await reader.nextData();
        seen.push(entryOf(block).id);
        lastEventId = block.id;
      }
      await reader.cancel();
    }
    await writing;
    expect(seen).toEqual(await logIdsOf(ledger));
  });
});

describe("a stream that begins somewhere", () => {
  test.each([
    ["999", "the log has no entry 999; its last entry is 2"],
    ["99999999999999999999", "its last entry is 2"],
    ["1.00000000", "another ledger"],
  ])(
    "a stream of a ledger hears of a gap at the position %s, and begins now",
    async (id, reason) => {
      const ledger = await freshLedger();
      await commit(ledger, "world -> a", "world -> a");
      const { from, reader } = await openLedgerStream(ledger, { lastEventId: id });
      expect(from).toMatch(/^2\./);
      const gap = await reader.nextData();
      expect(gap.event).toBe("gap");
      expect(gap.data).toContain(reason);
      await commit(ledger, "world -> a");
      expect(entryOf(await reader.nextData()).id).toBe(3);
    },
  );

  test("a stream of a ledger prefers the last id of the client to the parameter", async () => {
    const ledger = await freshLedger();
    await commit(ledger, "world -> a", "world -> b", "world -> c");
    const found = await storedEvents(ledger, { query: "after=0", lastEventId: "2" });
    expect(shortOf(found)).toEqual(["entry 3"]);
    expect(shortOf(await storedEvents(ledger, { query: "after=", lastEventId: "" }))).toEqual([]);
  });

  test("a stream of a ledger gives a log of several pages, whole and in order", async () => {
    const ledger = await freshLedger();
    const bulk = Array.from({ length: 100 }, () => ({
      action: "CREATE_TRANSACTION",
      data: pay("world -> a", 1, { metadata: { k: "x".repeat(2000) } }),
    }));
    for (let times = 0; times < 4; times++)
      await okBodyOf(inLedger(ledger, "/_bulk", { body: bulk }));
    const ids = await logIdsOf(ledger);
    const { reader } = await openLedgerStream(ledger, { query: "after=-1" });
    await commit(ledger, "world -> b");
    expect(await entriesUpTo(reader, 401)).toEqual([...ids, 401]);
    const stored = await storedEvents(ledger, { query: "after=100&accounts=a" });
    expect(stored.map((block) => entryOf(block).id)).toEqual(ids.filter((id) => id > 100));
  });

  test("a stream of an empty ledger begins before its first entry", async () => {
    const ledger = await freshLedger();
    const { from, reader } = await openLedgerStream(ledger);
    expect(from).toMatch(/^-1\./);
    await commit(ledger, "world -> a");
    expect(entryOf(await reader.nextData()).id).toBe(1);
  });
});

describe("a stream that goes on", () => {
  test("a stream of a ledger goes on when its object was restarted", async () => {
    const ledger = await freshLedger();
    const { reader } = await openLedgerStream(ledger);
    await commit(ledger, "world -> a");
    expect(entryOf(await reader.nextData()).id).toBe(1);
    await evict(objectOf(ledger));
    await commit(ledger, "world -> a", "world -> a");
    expect(await entriesUpTo(reader, 3)).toEqual([2, 3]);
  });

  test("a reader of a ledger that was slow misses nothing", async () => {
    const ledger = await freshLedger();
    const { reader } = await openLedgerStream(ledger, { query: "accounts=a" });
    const note = { metadata: { k: "x".repeat(10_000) } };
    for (let count = 0; count < 30; count++)
      await okBodyOf(post(ledger, pay("world -> a", 1, note)));
    expect(await entriesUpTo(reader, 30)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });
});

describe("a ledger that is deleted", () => {
  test("a deleted ledger ends its streams, and a restored one goes on where they ended", async () => {
    const bucket = freshBucket();
    const ledger = await ledgerIn(bucket);
    const { reader } = await openLedgerStream(ledger);
    await commit(ledger, "world -> b");
    await reader.nextData();
    await deleteBucket(bucket);
    const { event, data, id } = await reader.nextData();
    expect([event, data]).toEqual(["end", '{"reason":"the ledger is deleted"}']);
    expect(await reader.next()).toBeUndefined();
    const refused = await refusalOf(requestLedgerStream(ledger, { lastEventId: id }));
    expect(refused).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    await restoreBucket(bucket);
    const again = await openLedgerStream(ledger, { lastEventId: id });
    await commit(ledger, "world -> c");
    expect(entryOf(await again.reader.nextData()).id).toBe(3);
  });

  test("another ledger of the name of a purged one has streams of its own", async () => {
    const bucket = freshBucket();
    const ledger = await ledgerIn(bucket);
    const { reader, from } = await openLedgerStream(ledger);
    await deleteBucket(bucket);
    expect((await reader.nextData()).event).toBe("end");
    const farAheadMs = Date.parse("2126-03-01T10:10:00Z");
    await bucketsAt(farAheadMs, { settings: { FLORIN_BUCKET_RETENTION: "1h" } }).sweep();
    await createLedger(ledger);
    const again = await openLedgerStream(ledger, { lastEventId: from });
    expect((await again.reader.nextData()).event).toBe("gap");
    await commit(ledger, "world -> c");
    expect(entryOf(await again.reader.nextData()).id).toBe(1);
  });
});

describe("a stream that is refused", () => {
  test.each([
    ["accounts=a b", '"a b" is not an account or a pattern'],
    ["accounts=a:...:b", "is not an account or a pattern"],
    [`accounts=${"a,".repeat(100)}a`, "at most 100 are taken"],
    ["events=entries", '"entries" is not a kind of event'],
    ["after=yesterday", "expected the id of an event"],
    ["after=-2", "expected the id of an event"],
    ["follow=maybe", "follow"],
  ])("a stream of a ledger is refused where the query is wrong: %s", async (query, message) => {
    const ledger = await freshLedger();
    const refusal = await refusalOf(requestLedgerStream(ledger, { query }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(message);
  });

  test("a stream of an unknown ledger is refused", async () => {
    for (const ledger of [freshName(), "_", "a.b"]) {
      const refusal = await refusalOf(requestLedgerStream(ledger));
      expect(refusal).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    }
  });

  test("a stream of a ledger is for tokens that may read ledgers", async () => {
    const ledger = await freshLedger();
    const status = async (scopes: string | null) =>
      (await requestLedgerStream(ledger, { token: scopes && (await token(scopes)) })).status;
    expect(await status(null)).toBe(401);
    expect(await status("webhooks:read")).toBe(401);
  });

  test("a stream of a ledger gives its place back", async () => {
    const active = () => admissionOf(env).loadOf("stream").active;
    const before = active();
    const ledger = await freshLedger();
    const { reader } = await openLedgerStream(ledger);
    expect(active()).toBe(before + 1);
    await reader.cancel();
    await eventually(() => expect(active()).toBe(before));
    await storedEvents(ledger, { query: "after=0" });
    await eventually(() => expect(active()).toBe(before));
  });
});
