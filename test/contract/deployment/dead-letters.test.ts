import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ledgerSource } from "#modules/ledger/event-source.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { deadQueueOf, EVENTS_QUEUE, TRIGGERS_QUEUE } from "#platform/dead-letters/given-up.ts";
import { sweepDeadLetters } from "#platform/dead-letters/retrying.ts";
import { consumeEvents } from "#platform/events/consumer.ts";
import { fromMillis } from "#platform/time.ts";
import { consume } from "#src/jobs.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { FakeBatch } from "#test/support/events/batches.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const PATH = "/api/florin/v1/dead-letters";
const DAY = 86_400_000;

interface Letter {
  readonly id: number;
  readonly state: string;
  readonly ledger?: string;
  readonly body: unknown;
  readonly error?: string;
  readonly attempts?: number;
  readonly arrivals: number;
  readonly retries: number;
  readonly sentAt?: string;
}
const DEAD_QUEUE = deadQueueOf(EVENTS_QUEUE);

interface Cursor {
  readonly cursor: { data: readonly Letter[]; next: string; hasMore: boolean };
}

/** A message about entries of a ledger that does not exist, so that its consumer finds nothing to do. */
const about = (ledger: string) => ({ source: "ledger", ledger, uuid: "u", from: 1, to: 2 });

let arrivals = 0;

/** Lets messages arrive in the queue of dead letters, with ids of their own unless a prefix says otherwise. */
async function arrive(bodies: readonly unknown[], prefix = `${++arrivals}-`): Promise<FakeBatch> {
  const batch = new FakeBatch(DEAD_QUEUE, bodies, { prefix });
  await consume(batch, env);
  return batch;
}

async function listed(query: Readonly<Record<string, string>> = {}): Promise<readonly Letter[]> {
  const response = await api(`${PATH}?${new URLSearchParams(query).toString()}`);
  expect(response.status).toBe(200);
  return (await response.json<Cursor>()).cursor.data;
}

/** The only letter about a ledger. */
async function letterOf(ledger: string): Promise<Letter> {
  const letters = await listed({ ledger });
  expect(letters).toHaveLength(1);
  return present(letters[0], "there is one letter");
}

async function newLetter(): Promise<{ readonly ledger: string; readonly id: number }> {
  const ledger = freshName();
  await arrive([about(ledger)]);
  return { ledger, id: (await letterOf(ledger)).id };
}

const retry = (id: number | string) => api(`${PATH}/${id}/retry`, { method: "POST" });

/** The messages that are sent to the queue of events from now on, which get no further. */
function spyOnQueue(): unknown[] {
  const sent: unknown[] = [];
  vi.spyOn(env.EVENTS, "send").mockImplementation(async (body) => {
    sent.push(body);
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  });
  return sent;
}

/** The deployment `ms` milliseconds from now. */
const later = (ms: number) => ({
  ...systemContext(env, "test"),
  clock: () => fromMillis(Date.now() + ms),
});

const auditOf = async (id: number): Promise<string[]> => {
  const { results } = await env.DB.prepare("SELECT action FROM audit WHERE object = ? ORDER BY id")
    .bind(`dead-letters/${id}`)
    .all<{ action: string }>();
  return results.map(({ action }) => action);
};

beforeEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM dead_letters").run();
});

describe("a message that its queue has given up", () => {
  test("a dead letter is stored once, however often its message is delivered", async () => {
    const ledger = freshName();
    const first = await arrive([about(ledger)], "same-");
    const again = await arrive([about(ledger)], "same-");
    expect([first.acked, again.acked]).toEqual([[0], [0]]);
    expect(await letterOf(ledger)).toEqual({
      id: expect.any(Number) as unknown,
      state: "waiting",
      queue: EVENTS_QUEUE,
      ledger,
      body: about(ledger),
      arrivals: 1,
      retries: 0,
      firstSeen: expect.stringMatching(/^20/) as unknown,
      lastSeen: expect.stringMatching(/^20/) as unknown,
    });
  });

  test("messages of the same content are one letter, which counts them", async () => {
    const ledger = freshName();
    await arrive([about(ledger), about(ledger)]);
    await arrive([about(ledger)]);
    expect(await letterOf(ledger)).toMatchObject({ arrivals: 3 });
  });

  test("a dead letter shows why the last delivery was refused", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const ledger = freshName();
    const broken = () => Promise.reject(new Error("the books are closed"));
    const source = { read: broken, readBare: broken, reread: broken, confirm: broken };
    const routes = { sources: [ledgerSource(() => source)], listeners: [] };
    const early = new FakeBatch(EVENTS_QUEUE, [about(ledger)], { attempts: 10 });
    await consumeEvents(early, systemContext(env, "test"), routes);
    expect(await listed({ ledger })).toEqual([]);
    const last = new FakeBatch(EVENTS_QUEUE, [about(ledger)], { attempts: 11 });
    await consumeEvents(last, systemContext(env, "test"), routes);
    expect([last.acked, last.retried.length]).toEqual([[], 1]);
    const told = { error: "Error: the books are closed", attempts: 11 };
    expect(await letterOf(ledger)).toMatchObject({ ...told, arrivals: 0 });
    await arrive([about(ledger)]);
    expect(await letterOf(ledger)).toMatchObject({ ...told, arrivals: 1, state: "waiting" });
  });

  test("the reason of a dead letter has no values of a failed query", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const ledger = freshName();
    const failed = Object.assign(new Error("insert 4711"), { query: "insert", params: ["4711"] });
    const broken = () => Promise.reject(new Error("not stored", { cause: failed }));
    const source = { read: broken, readBare: broken, reread: broken, confirm: broken };
    await consumeEvents(
      new FakeBatch(EVENTS_QUEUE, [about(ledger)], { attempts: 11 }),
      systemContext(env, "test"),
      { sources: [ledgerSource(() => source)], listeners: [] },
    );
    const { error } = await letterOf(ledger);
    expect(error).toBe("Error: not stored; a query of the database has failed");
  });

  test("a message that finds no room stays in its queue, and comes again later each time", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue(undefined);
    const small = { ...env, FLORIN_DEAD_LETTERS_KEPT: "100" };
    const ledgers = Array.from({ length: 101 }, () => freshName());
    const full = new FakeBatch(DEAD_QUEUE, ledgers.slice(0, 100).map(about), { prefix: "full-" });
    await consume(full, small);
    expect(full.acked).toHaveLength(100);
    const over = new FakeBatch(DEAD_QUEUE, ledgers.slice(99).map(about), {
      attempts: 3,
      prefix: "over-",
    });
    await consume(over, small);
    expect(over.acked).toEqual([0]);
    expect(over.retried).toEqual([[1, 60]]);
    expect(error).toHaveBeenCalledOnce();

    spyOnQueue();
    const { id } = await letterOf(present(ledgers[0], "there are ledgers"));
    expect((await retry(id)).status).toBe(200);
    const room = new FakeBatch(DEAD_QUEUE, ledgers.slice(100).map(about), {
      attempts: 4,
      prefix: "room-",
    });
    await consume(room, small);
    expect(room.acked).toEqual([0]);
    expect((await api(`${PATH}/${id}`)).status).toBe(404);
  });

  test("a message that cannot be stored, or is too large, is not acknowledged", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const large = await arrive([{ source: "ledger", text: "x".repeat(140_000) }]);
    expect([large.acked, large.retried.length]).toEqual([[], 1]);
    vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("D1_ERROR: SQLITE_FULL"));
    const refused = await arrive([about(freshName())]);
    expect([refused.acked, refused.retried.length]).toEqual([[], 1]);
  });
});

test("a malformed message on the queue of events becomes a dead letter, and again when it is sent again", async () => {
  const ledger = freshName();
  await env.EVENTS.send({ source: "nobody", ledger });
  const { id, error } = await eventually(() => letterOf(ledger));
  expect(error).toContain("malformed");
  expect((await retry(id)).status).toBe(200);
  await eventually(async () => {
    expect(await letterOf(ledger)).toMatchObject({ id, state: "waiting", arrivals: 2 });
  });
});

describe("a dead letter that is sent again", () => {
  test("a dead letter is sent to its queue, and the audit tells of it", async () => {
    const sent = spyOnQueue();
    const { ledger, id } = await newLetter();
    const response = await retry(id);
    expect(response.status).toBe(200);
    expect((await response.json<{ data: Letter }>()).data).toMatchObject({
      state: "retried",
      retries: 1,
      sentAt: expect.stringMatching(/^20/) as unknown,
    });
    expect(sent).toEqual([about(ledger)]);
    expect(await auditOf(id)).toEqual(["deployment.dead-letter.retry"]);
  });

  test("a dead letter is sent once where several operators send it at once", async () => {
    const sent = spyOnQueue();
    const { id } = await newLetter();
    const answers = await Promise.all([retry(id), retry(id), retry(id)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409,
    ]);
    expect((await retry(id)).status).toBe(409);
    expect(sent).toHaveLength(1);
    expect(await auditOf(id)).toEqual(["deployment.dead-letter.retry"]);
  });

  test("the sweep sends a letter whose request was cut off before the queue took it, once", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const { ledger, id } = await newLetter();
    vi.spyOn(env.EVENTS, "send").mockRejectedValue(new Error("the queue is down"));
    const response = await retry(id);
    expect((await response.json<{ data: Letter }>()).data.state).toBe("retrying");
    const sent = spyOnQueue();
    await sweepDeadLetters(later(0));
    expect(sent).toEqual([]);
    await Promise.all([sweepDeadLetters(later(61_000)), sweepDeadLetters(later(61_000))]);
    expect(sent).toEqual([about(ledger)]);
    expect(await letterOf(ledger)).toMatchObject({ state: "retried", retries: 1 });
  });

  test("a letter that its queue gives up again waits again; a late repetition of the first delivery changes nothing", async () => {
    spyOnQueue();
    const ledger = freshName();
    await arrive([about(ledger)], "one-");
    const { id } = await letterOf(ledger);
    await retry(id);
    await arrive([about(ledger)], "one-");
    expect(await letterOf(ledger)).toMatchObject({ id, state: "retried", arrivals: 1 });
    await arrive([about(ledger)], "two-");
    expect(await letterOf(ledger)).toMatchObject({ id, state: "waiting", arrivals: 2 });
    expect((await retry(id)).status).toBe(200);
    expect(await letterOf(ledger)).toMatchObject({ state: "retried", retries: 2 });
  });

  test("a letter that comes again while it is being sent waits again", async () => {
    const { ledger, id } = await newLetter();
    vi.spyOn(env.EVENTS, "send").mockImplementation(async (body) => {
      await arrive([body]);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    });
    await retry(id);
    expect(await letterOf(ledger)).toMatchObject({ state: "waiting", arrivals: 2, retries: 1 });
  });
});

describe("the operations on dead letters", () => {
  test("dead letters are listed newest first, by pages, and by filters", async () => {
    const ledgers = Array.from({ length: 5 }, () => freshName());
    for (const ledger of ledgers) await arrive([about(ledger)]);
    const first = await (await api(`${PATH}?pageSize=2`)).json<Cursor>();
    expect(first.cursor.hasMore).toBe(true);
    const second = await (await api(`${PATH}?cursor=${first.cursor.next}`)).json<Cursor>();
    const seen = [...first.cursor.data, ...second.cursor.data].map(({ ledger }) => ledger);
    expect(seen).toEqual(ledgers.toReversed().slice(0, 4));
    expect(await listed({ state: "retried" })).toEqual([]);
    expect(await listed({ state: "waiting", queue: EVENTS_QUEUE })).toHaveLength(5);
    expect(await listed({ queue: "other" })).toEqual([]);
    expect(await listed({ endTime: "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await listed({ startTime: "2020-01-01T00:00:00Z" })).toHaveLength(5);
    expect((await api(`${PATH}?state=odd`)).status).toBe(400);
  });

  test("a dead letter is dropped, and the audit tells of it", async () => {
    const { id } = await newLetter();
    expect((await api(`${PATH}/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await api(`${PATH}/${id}`)).status).toBe(404);
    expect((await api(`${PATH}/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await retry(id)).status).toBe(404);
    expect(await auditOf(id)).toEqual(["deployment.dead-letter.delete"]);
  });

  test.each(["x", "0", "-1", "1e3", "9".repeat(16)])("%s is no id of a dead letter", async (id) => {
    expect((await api(`${PATH}/${id}`)).status).toBe(400);
  });

  test("a token that is bound to ledgers, or lacks the scope, reaches no dead letter", async () => {
    const { id } = await newLetter();
    const { token: bound } = await clientWith({
      scopes: ["florin:operate"],
      metadata: { ledgers: "mine" },
    });
    for (const bearer of [bound, await token("ledger:write")]) {
      for (const [method, path] of [
        ["GET", PATH],
        ["GET", `${PATH}/${id}`],
        ["POST", `${PATH}/${id}/retry`],
        ["DELETE", `${PATH}/${id}`],
      ] as const) {
        expect((await api(path, { method, token: bearer })).status).toBe(401);
      }
    }
  });

  test("dead letters are deleted when their retention is over, unless they are being sent", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const { ledger } = await newLetter();
    const { id } = await newLetter();
    vi.spyOn(env.EVENTS, "send").mockRejectedValue(new Error("the queue is down"));
    await retry(id);
    const nextMs = await sweepDeadLetters(later(29 * DAY));
    expect(await listed()).toHaveLength(2);
    expect(nextMs).toBeLessThan(Date.now() + 29 * DAY + 120_000);
    await sweepDeadLetters(later(31 * DAY));
    expect(await listed({ ledger })).toEqual([]);
    expect((await api(`${PATH}/${id}`)).status).toBe(200);
  });

  test("the status tells of dead letters that wait, since when, and what to do", async () => {
    const { id } = await newLetter();
    const sectionOf = async () => {
      const response = await api("/api/florin/v1/status?module=deployment");
      const { data } = await response.json<{ data: { sections: [object] } }>();
      return data.sections[0];
    };
    expect(await sectionOf()).toMatchObject({
      name: "dead-letters",
      state: "warning",
      problems: [{ what: "1 of dead-letters", since: expect.stringMatching(/^20/) as unknown }],
    });
    await api(`${PATH}/${id}`, { method: "DELETE" });
    expect(await sectionOf()).toMatchObject({ state: "ok", problems: [] });
  });
});

describe("the queue of triggers", () => {
  const occurrence = () => ({ id: freshName("occurrence"), trigger: 1 });
  const withId = async (id: string, query: Readonly<Record<string, string>> = {}) =>
    (await listed({ queue: TRIGGERS_QUEUE, ...query })).filter(({ body }) =>
      JSON.stringify(body).includes(id),
    );

  test("an occurrence that the queue has given up is a letter, and goes back to that queue", async () => {
    const sent = vi.spyOn(env.TRIGGERS, "send");
    const body = occurrence();
    await consume(new FakeBatch(deadQueueOf(TRIGGERS_QUEUE), [body], { prefix: body.id }), env);
    const [letter] = await withId(body.id);
    expect(letter).toMatchObject({ state: "waiting", body });
    const retried = await api(`${PATH}/${letter?.id}/retry`, { method: "POST" });
    expect(retried.ok).toBe(true);
    expect(sent.mock.calls.map(([message]) => message)).toEqual([body]);
    sent.mockRestore();
  });

  test("a malformed occurrence is a letter at once", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const id = freshName("malformed");
    const batch = new FakeBatch(TRIGGERS_QUEUE, [{ id, trigger: "none" }], { prefix: id });
    await consume(batch, env);
    expect((await withId(id))[0]?.error).toContain("malformed");
  });

  test("a deployment of another name has queues of that name, with the same consumers", async () => {
    const body = occurrence();
    await consume(new FakeBatch("shop-eu-triggers-dead", [body], { prefix: body.id }), env);
    expect(await withId(body.id)).toHaveLength(1);
    const ledger = freshName();
    await consume(new FakeBatch("shop-eu-events-dead", [about(ledger)], { prefix: ledger }), env);
    expect((await letterOf(ledger)).state).toBe("waiting");
    const unknown = new FakeBatch("shop-eu-others", [body]);
    await expect(consume(unknown, env)).rejects.toThrow("no consumer for the queue shop-eu-others");
  });
});
