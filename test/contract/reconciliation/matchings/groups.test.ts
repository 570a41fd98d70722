import { beforeEach, describe, expect, test } from "vitest";
import { auditOf } from "#test/support/auth/takeover.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { dataOf, failureOf, pageOf } from "#test/support/reconciliation/books.ts";
import {
  type GroupView,
  newMatching,
  type TestMatching,
} from "#test/support/reconciliation/matchings.ts";

let matching: TestMatching;

const message = async (response: Response): Promise<string> =>
  ((await bodyOf(response)) as { errorMessage: string }).errorMessage;

const byHand = (body: object): Promise<Response> => api(`${matching.path}/groups`, { body });

describe("decisions", () => {
  beforeEach(async () => {
    matching = await newMatching();
    // Without a reference, a pass of a confidence of 80 finds the pair by its amount and day.
    await matching.book(["left", "right"], "");
    await matching.book(["left"], "alone", { amount: 5n });
    await matching.run();
  });

  test("a proposal is confirmed with a note, once, and the match is broken again", async () => {
    expect(await matching.groups("state=proposed")).toMatchObject([
      { id: 1, pass: "amount and date" },
    ]);
    const confirmed = await dataOf(await matching.decide(1, "confirm", { note: "it is Ann's" }));
    expect(confirmed).toMatchObject({
      state: "matched",
      decisions: [{ what: "confirm", note: "it is Ann's", by: { subject: "test-client" } }],
    });
    const again = await matching.decide(1, "confirm");
    expect(await failureOf(again)).toEqual([409, "CONFLICT"]);
    const decline = await matching.decide(1, "decline");
    expect(await message(decline)).toContain("group 1 is matched, and not proposed");
    const broken = await dataOf(await matching.decide(1, "break", { note: "it is not" }));
    expect(broken).toMatchObject({
      state: "broken",
      decisions: [{ what: "confirm" }, { what: "break", note: "it is not" }],
    });
    await matching.run();
    expect(await matching.groups("state=proposed")).toEqual([]);
    await eventually(async () => {
      for (const what of ["confirm", "break"])
        expect(
          await auditOf(`reconciliation.group.${what}`, `matchings/${matching.id}/groups/1`),
        ).toBe(1);
    });
  });

  test("a proposal that is declined is not proposed again", async () => {
    expect(await dataOf(await matching.decide(1, "decline"))).toMatchObject({ state: "declined" });
    expect(await matching.run()).toMatchObject({ proposed: 0, open: 3 });
  });

  test("lines are matched by hand, and once", async () => {
    const lines = await matching.lines();
    const left = lines.filter(({ side }) => side === "left").map(({ id }) => id);
    const right = lines.filter(({ side }) => side === "right").map(({ id }) => id);
    const match = await dataOf(await byHand({ left, right, note: "with a fee" }), 201);
    expect(match).toMatchObject({
      state: "matched",
      pass: "by hand",
      confidence: 100,
      left: { count: 2 },
      right: { count: 1 },
      evidence: { keys: [], sums: [{ asset: "EUR/2", left: 1005, right: 1000 }] },
      decisions: [{ what: "match", note: "with a fee" }],
    });
    expect(match).not.toHaveProperty("run");
    expect(await failureOf(await byHand({ left, right }))).toEqual([409, "CONFLICT"]);
    const gone = await matching.decide(1, "confirm");
    expect(gone.status).toBe(409);
    expect(await message(gone)).toContain("group 1 is gone");
    expect(await matching.lines("state=unmatched")).toEqual([]);
  });

  test("by hand are refused for lines of one side, unknown ones, and none", async () => {
    const refused = async (body: object) => failureOf(await byHand(body));
    expect(await refused({ left: [1], right: [2] })).toEqual([400, "VALIDATION"]);
    expect(await refused({ left: [1], right: [99] })).toEqual([400, "VALIDATION"]);
    expect(await refused({ left: [1], right: [] })).toEqual([400, "VALIDATION"]);
    expect(await refused({ left: [1, 1], right: [3] })).toEqual([400, "VALIDATION"]);
    expect(await refused({ left: [1], right: [3], colour: "red" })).toEqual([400, "VALIDATION"]);
    expect(await matching.groups("state=matched")).toEqual([]);
  });

  test("need a group that exists", async () => {
    expect(await failureOf(await matching.decide(77, "confirm"))).toEqual([404, "NOT_FOUND"]);
    expect(await failureOf(await matching.decide(0, "confirm"))).toEqual([400, "VALIDATION"]);
    const long = { note: "x".repeat(2001) };
    expect(await failureOf(await matching.decide(1, "confirm", long))).toEqual([400, "VALIDATION"]);
  });
});

test("of 200 decisions and three runs that race for the same lines, one wins, and nothing is half matched", async () => {
  matching = await newMatching();
  const pairs = 40;
  for (let pair = 0; pair < pairs; pair += 1)
    await matching.book(["left", "right"], "", { amount: BigInt(1000 + pair) });
  await matching.run();
  const proposals = await matching.groups("state=proposed&pageSize=100");
  expect(proposals).toHaveLength(pairs);
  const runs = [1, 2, 3].map(() => api(`${matching.path}/runs`, { method: "POST" }));
  const decisions = proposals.flatMap(({ id }) => {
    const hand = dataOf<{ left: { lines: { id: number }[] }; right: { lines: { id: number }[] } }>;
    return [
      matching.decide(id, "confirm"),
      matching.decide(id, "decline"),
      matching.decide(id, "confirm"),
      matching.decide(id, "break"),
      api(`${matching.path}/groups/${id}`).then(async (answer) => {
        if (answer.status !== 200) return new Response(null, { status: 409 });
        const { left, right } = await hand(answer);
        return byHand({
          left: left.lines.map((line) => line.id),
          right: right.lines.map((line) => line.id),
        });
      }),
    ];
  });
  const answers = await Promise.all([...decisions, ...runs]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 201, 202, 409].includes(status))).toEqual([]);
  for (const place of proposals.keys()) {
    const [confirm, decline, second] = statuses.slice(5 * place);
    expect([confirm, decline, second].filter((status) => status === 200).length).toBeLessThan(2);
  }
  await eventually(async () => {
    const { data } = await pageOf<{ state: string }>(await api(`${matching.path}/runs`));
    expect(data.filter(({ state }) => state !== "done")).toEqual([]);
  });
  const live = [
    ...(await matching.groups("state=matched&pageSize=100")),
    ...(await matching.groups("state=proposed&pageSize=100")),
  ];
  const lines = (
    await Promise.all(
      live.map(async ({ id }) => {
        const group = await dataOf<{
          left: { lines: { id: number; group: number }[] };
          right: { lines: { id: number; group: number }[] };
        }>(await api(`${matching.path}/groups/${id}`));
        const all = [...group.left.lines, ...group.right.lines];
        expect(all.map((line) => line.group)).toEqual(all.map(() => id));
        return all.map((line) => line.id);
      }),
    )
  ).flat();
  expect(new Set(lines).size).toBe(lines.length);
  const open = await matching.lines("state=open&pageSize=100");
  expect(lines.length + open.length).toBe(2 * pairs);
});

describe("lists", () => {
  beforeEach(async () => {
    matching = await newMatching();
    for (const reference of ["order-1", "order-2", "order-3"])
      await matching.book(["left", "right"], reference);
    await matching.book(["left"], "order-4", { asset: "USD/2" });
    await matching.run();
  });

  test("lines are found by side, state, asset, class and reference", async () => {
    const found = async (filter: string) => (await matching.lines(filter)).map(({ id }) => id);
    expect(await found("")).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await found("side=left")).toEqual([4, 3, 2, 1]);
    expect(await found("side=right&state=matched")).toEqual([7, 6, 5]);
    expect(await found("state=open")).toEqual([4]);
    expect(await found("state=unmatched&side=right")).toEqual([]);
    expect(await found("asset=USD/2")).toEqual([4]);
    expect(await found("asset=USD/2&side=right")).toEqual([]);
    expect(await found("class=missing_right")).toEqual([4]);
    expect(await found("class=amount")).toEqual([]);
    expect(await found("q=ORDER%202")).toEqual([6, 2]);
    expect(await found("q=order-2&side=left")).toEqual([2]);
    expect(await found("q=nothing")).toEqual([]);
    expect(await found("group=2")).toEqual([6, 2]);
    expect(await found("group=2&side=left&q=order-2")).toEqual([2]);
    expect(await found("group=2&q=order-1")).toEqual([]);
    expect(await found("group=9")).toEqual([]);
    expect(await dataOf(await api(`${matching.path}/lines/4`))).toMatchObject({
      id: 4,
      state: "open",
      breakClass: "missing_right",
      texts: { endToEndId: "order-4" },
      transactionID: 4,
    });
  });

  test("pages go both ways and keep their filter", async () => {
    const list = `${matching.path}/lines`;
    const first = await pageOf<GroupView>(await api(`${list}?state=matched&pageSize=4`));
    expect(first.data.map(({ id }) => id)).toEqual([7, 6, 5, 3]);
    expect(first.hasMore).toBe(true);
    const second = await pageOf<GroupView>(await api(`${list}?cursor=${first.next}`));
    expect(second.data.map(({ id }) => id)).toEqual([2, 1]);
    expect(second.hasMore).toBe(false);
    const { previous } = second as unknown as { readonly previous: string };
    const back = await pageOf<GroupView>(await api(`${list}?cursor=${previous}`));
    expect(back.data.map(({ id }) => id)).toEqual([7, 6, 5, 3]);
  });

  test("groups are found by state, pass and run", async () => {
    const found = async (filter: string) => (await matching.groups(filter)).map(({ id }) => id);
    expect(await found("")).toEqual([3, 2, 1]);
    expect(await found("state=matched&run=1")).toEqual([3, 2, 1]);
    expect(await found("run=2")).toEqual([]);
    expect(await found("pass=end-to-end%20id")).toEqual([3, 2, 1]);
    expect(await found("pass=end-to-end%20id&state=broken")).toEqual([]);
    expect(await found("state=proposed")).toEqual([]);
  });

  test.each([
    "lines?side=middle",
    "lines?state=lost",
    "lines?class=odd",
    "lines?cursor=nonsense",
    "lines?pageSize=0",
    "groups?state=candidate",
    "groups?run=x",
    "groups/abc",
    "lines/1.5",
    "runs/-1",
  ])("refuse %s", async (path) => {
    expect(await failureOf(await api(`${matching.path}/${path}`))).toEqual([400, "VALIDATION"]);
  });

  test("refuse a cursor of another list, and one with a filter that no request has", async () => {
    const { next } = await pageOf(await api(`${matching.path}/groups?pageSize=1`));
    const other = await api(`${matching.path}/lines?cursor=${next}`);
    expect(await failureOf(other)).toEqual([400, "VALIDATION"]);
    const forged = JSON.parse(atob(next.replaceAll("-", "+").replaceAll("_", "/"))) as {
      filters: { opts: object };
    };
    forged.filters.opts = { ...forged.filters.opts, state: "candidate" };
    const cursor = btoa(JSON.stringify(forged)).replaceAll("=", "");
    const answer = await api(`${matching.path}/groups?cursor=${cursor}`);
    expect(await failureOf(answer)).toEqual([400, "VALIDATION"]);
  });
});
