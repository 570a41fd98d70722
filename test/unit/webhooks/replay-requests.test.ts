import { beforeEach, expect, test } from "vitest";
import {
  type Decision,
  KEY_MS,
  ReplayRequests,
} from "#modules/webhooks/services/replay-requests.ts";
import { AppError } from "#platform/errors.ts";
import { fromMillis } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const refusal = () => new AppError("CONFLICT", "delivery cannot be replayed");

let nowMs: number;
let requests: ReplayRequests;
/** The names of the requests whose work was done. */
let names: string[];

beforeEach(() => {
  const d1 = new NodeD1();
  d1.migrate();
  nowMs = START_MS;
  names = [];
  requests = new ReplayRequests(d1.db, () => fromMillis(nowMs));
});

type Work = (name: string, plan: Decision) => Promise<string>;

const ask = (work: Work, request: unknown = "one"): Promise<string> =>
  requests.answer({ key: "k", request }, async (name, plan) => {
    names.push(name);
    return work(name, plan);
  });

const refuse = async (): Promise<string> => {
  throw refusal();
};

/** Work that waits until the test ends it. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => promise, resolve, reject };
}

/** Lets requests that have begun reach their work. */
const begun = async (count: number): Promise<void> => {
  while (names.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
};

test("an answer is given again for a day, and to no other request", async () => {
  expect(await ask(async () => "done")).toBe("done");
  expect(await ask(refuse)).toBe("done");
  await expect(ask(async () => "other", "two")).rejects.toMatchObject({ kind: "CONFLICT" });
  nowMs += KEY_MS + 1;
  expect(await ask(async () => "other", "two")).toBe("other");
});

test("the key of a request that was refused is free, for it and for another one", async () => {
  await expect(ask(refuse)).rejects.toMatchObject({ kind: "CONFLICT" });
  expect(await ask(async () => "done", "two")).toBe("done");
  expect(await ask(refuse, "two")).toBe("done");
});

test("a refusal leaves the answer of the same request that succeeds at the same time", async () => {
  const [refused, succeeding] = [held(), held()];
  const first = ask(refused.work);
  await begun(1);
  const second = ask(succeeding.work);
  await begun(2);
  refused.reject(refusal());
  await expect(first).rejects.toMatchObject({ kind: "CONFLICT" });
  succeeding.resolve("done");
  expect(await second).toBe("done");
  expect(await ask(refuse)).toBe("done");
  expect(new Set(names).size).toBe(1);
});

test("a request that comes between a refusal and a success has their name", async () => {
  const succeeding = held();
  const first = ask(succeeding.work);
  await begun(1);
  await expect(ask(refuse)).rejects.toMatchObject({ kind: "CONFLICT" });
  expect(await ask(async () => "done")).toBe("done");
  succeeding.resolve("late");
  expect(await first).toBe("done");
  expect(new Set(names).size).toBe(1);
});

test("a request whose key another one takes before anything is decided is busy, and does nothing", async () => {
  const deciding = held();
  let isDone = false;
  const first = ask(async (_name, plan) => {
    await plan(deciding.work);
    isDone = true;
    return "done";
  });
  await begun(1);
  await expect(ask(refuse)).rejects.toMatchObject({ kind: "CONFLICT" });
  expect(await ask(async () => "other", "two")).toBe("other");
  deciding.resolve("plan");
  await expect(first).rejects.toMatchObject({ kind: "OVERLOADED" });
  expect(isDone).toBe(false);
});

test("a decision about a replay is made once", async () => {
  const decide = (plan: Decision, value: string) => plan(async () => value);
  const failing = ask(async (_name, plan) => {
    await decide(plan, "first");
    throw new Error("killed");
  });
  await expect(failing).rejects.toThrow("killed");
  expect(await ask(async (_name, plan) => decide(plan, "second"))).toBe("first");
});
