import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { bookCorrection, bookWriteOff } from "#modules/reconciliation/corrections/create.ts";
import { confirmCorrection, refuseCorrection } from "#modules/reconciliation/corrections/decide.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { freshPerson, type TestPerson } from "#test/support/auth/logins.ts";
import { acting, actingPerson } from "#test/support/auth/takeover.ts";
import { ALL_SCOPES, api, freshName } from "#test/support/platform/api.ts";
import { dataOf, failureOf, pageOf } from "#test/support/reconciliation/books.ts";
import {
  balanceOf,
  breakPath,
  type CorrectionView,
  onlyBreak,
  resume,
  type Suggestion,
  withMissing,
} from "#test/support/reconciliation/breaks.ts";
import { type LineView, newMatching } from "#test/support/reconciliation/matchings.ts";
import { newSource } from "#test/support/reconciliation/sources.ts";

const CORRECTIONS = "/api/florin/v1/reconciliation/corrections";

describe("the correction of a break", () => {
  test("is suggested with a dry run, booked, and matched with the line that it closes", async () => {
    const { matching, line } = await withMissing();
    const path = breakPath(matching, line);
    const suggestion = await dataOf<Suggestion>(await api(`${path}/correction`));
    expect(suggestion).toMatchObject({
      why: "the books do not have it",
      correction: {
        ledger: matching.ledgers.right,
        side: "right",
        amount: 250,
        account: "bank",
        counter: "reconciliation:suspense",
        closes: [line.id],
      },
      script:
        "send [EUR/2 250] (\n  source = @reconciliation:suspense allowing unbounded overdraft\n  destination = @bank\n)\n",
      dryRun: {
        postings: [
          { source: "reconciliation:suspense", destination: "bank", amount: 250, asset: "EUR/2" },
        ],
      },
    });
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1000);

    const body = { note: "the bank was right" };
    const booked = await dataOf<CorrectionView>(await api(`${path}/correction`, { body }), 201);
    expect(booked).toMatchObject({
      state: "booked",
      note: "the bank was right",
      closes: [line.id],
    });
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1250);
    const group = await dataOf<object>(await api(`${matching.path}/groups/${booked.group}`));
    expect(group).toMatchObject({
      state: "matched",
      pass: "correction",
      left: { lines: [{ id: line.id, state: "matched" }] },
      right: { lines: [{ transactionID: booked.transactionID, amount: 250 }] },
      decisions: [{ what: "correct", note: "the bank was right" }],
    });

    const again = await api(`${path}/correction`, { body });
    expect(await failureOf(again)).toEqual([409, "CONFLICT"]);
    // The next run collects the booking, which it knows already.
    await matching.run();
    expect((await pageOf(await api(`${matching.path}/breaks`))).data).toEqual([]);
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1250);
  });

  test("books the difference of two lines of one reference, and closes both", async () => {
    const matching = await newMatching();
    await matching.book(["left"], "order", { amount: 970n });
    await matching.book(["right"], "order", { amount: 1000n });
    await matching.run();
    const line = await onlyBreak(matching, "left");
    expect(line.breakClass).toBe("amount");
    const path = breakPath(matching, line);
    const booked = await dataOf<CorrectionView>(await api(`${path}/correction`, { body: {} }), 201);
    expect(booked).toMatchObject({ state: "booked" });
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(970);
    const group = await dataOf<{ left: object; right: { count: number } }>(
      await api(`${matching.path}/groups/${booked.group}`),
    );
    expect(group.right.count).toBe(2);
  });

  test("by a script of one's own is refused before anything moves if it does not close the break", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/correction`;
    const script = (amount: number, asset = "EUR/2") =>
      `send [${asset} ${amount}] (\n  source = @world\n  destination = @bank\n)`;
    const bodies = [
      { script: script(249), side: "right" },
      { script: script(250, "USD/2"), side: "right" },
      { script: script(250).replace("@bank", "@other"), side: "right" },
      { script: script(250), side: "right", closes: [line.id + 1] },
      { script: script(250) },
      { script: "send what", side: "right" },
    ];
    for (const body of bodies) expect((await api(path, { body })).status).toBe(400);
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1000);
    const own = { script: script(250), side: "right" };
    expect(await dataOf(await api(path, { body: own }), 201)).toMatchObject({ state: "booked" });
  });

  test("says what the ledger would refuse, and is refused by it", async () => {
    const files = await newSource({ kind: "statement" });
    const matching = await newMatching({ leftSourceID: files.id });
    await matching.book(["right"], "never happened", { amount: 100n });
    await api(`/api/ledger/v2/${matching.ledgers.right}/transactions`, {
      body: {
        postings: [{ source: "bank", destination: "away", amount: 100, asset: "EUR/2" }],
        timestamp: "2025-01-01T00:00:00Z",
      },
    });
    await matching.run();
    const path = `${breakPath(matching, await onlyBreak(matching, "right"))}/correction`;
    expect((await dataOf<Suggestion>(await api(path))).refusal).toContain("insufficient funds");
    expect(await failureOf(await api(path, { body: {} }))).toEqual([400, "INSUFFICIENT_FUND"]);
  });

  test("needs the right to write the ledger, and leaves the break as it is without", async () => {
    const { matching, line } = await withMissing();
    const scopes = ["reconciliation:write", "ledger:read"];
    const reader = await acting(await makeClient({ id: freshName("reader"), scopes }));
    const path = `${breakPath(matching, line)}/correction`;
    expect((await reader.call(path)).status).toBe(200);
    expect((await reader.call(path, { body: {} })).status).toBe(401);
    expect(await onlyBreak(matching, "left")).toMatchObject({ state: "open" });
  });

  test("is booked once by many at once", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/correction`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => (await api(path, { body: {} })).status),
    );
    expect(answers.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set([201, 409]));
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1250);
  });

  test("is gone on with by the sweep after a crash, at every step, and booked once", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/correction`;
    const booked = await dataOf<CorrectionView>(await api(path, { body: {} }), 201);
    for (const state of ["begun", "booking"]) {
      await resume(booked.id, { state });
      const again = await dataOf(await api(`${matching.path}/corrections/${booked.id}`));
      expect(again).toMatchObject({
        state: "booked",
        transactionID: booked.transactionID,
        group: booked.group,
      });
    }
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1250);
  });
});

describe("a write-off", () => {
  let first: TestPerson;
  let second: TestPerson;

  beforeAll(async () => {
    [first, second] = [await freshPerson(...ALL_SCOPES), await freshPerson(...ALL_SCOPES)];
  });

  const contextOf = async (person: TestPerson): Promise<ServiceContext> => {
    const { app } = await actingPerson(person);
    const context = systemContext(env, "test");
    return {
      ...context,
      env: Object.assign({}, env, { FLORIN_RECONCILIATION_FOUR_EYES: "true" }),
      principal: {
        issuer: "https://florin.test",
        subject: person.id,
        clientId: app.id,
        scopes: new Set(ALL_SCOPES),
        ledgers: [],
        isPerson: true,
      },
    };
  };

  const writeOff = { counter: "expenses:write-offs", note: "too old" };

  test("closes a break against the named account", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/write-off`;
    expect((await api(path, { body: { note: "no account" } })).status).toBe(400);
    const booked = await dataOf<CorrectionView>(await api(path, { body: writeOff }), 201);
    expect(booked).toMatchObject({ kind: "write_off", state: "booked" });
    expect(await balanceOf(matching.ledgers.right, "expenses:write-offs")).toBe(-250);
    const group = await dataOf(await api(`${matching.path}/groups/${booked.group}`));
    expect(group).toMatchObject({ pass: "write-off", decisions: [{ what: "write_off" }] });
  });

  test("waits for a second person where four eyes are needed, and holds its line meanwhile", async () => {
    const { matching, line } = await withMissing();
    const [one, other] = [await contextOf(first), await contextOf(second)];
    const request = { line: line.id, ...writeOff, account: undefined, timestamp: undefined };
    const program = { ...one, principal: { ...one.principal, isPerson: undefined as never } };
    await expect(bookWriteOff(program, matching.id, request)).rejects.toMatchObject({
      kind: "VALIDATION",
    });
    const waiting = await bookWriteOff(one, matching.id, request);
    expect(waiting.state).toBe("waiting");
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1000);
    const filter = encodeURIComponent(JSON.stringify({ $match: { state: "waiting" } }));
    const list = await pageOf<CorrectionView>(await api(`${CORRECTIONS}?query=${filter}`));
    expect(list.data.map(({ id }) => id)).toContain(waiting.id);
    expect(await onlyBreak(matching, "left")).toMatchObject({ state: "held" });
    // A run passes over the line, and nobody matches it.
    await matching.book(["right"], "missing", { amount: 250n });
    await matching.run();
    const [booked] = await matching.lines("side=right&state=open");
    const hand = { left: [line.id], right: [booked?.id] };
    expect((await api(`${matching.path}/groups`, { body: hand })).status).toBe(409);

    const of = { matchingId: matching.id, id: waiting.id, note: "seen" };
    for (const context of [
      one,
      { ...other, principal: { ...other.principal, isPerson: undefined as never } },
    ])
      await expect(confirmCorrection(context, of)).rejects.toMatchObject({ kind: "VALIDATION" });
    const weak = { ...other.principal, scopes: new Set(["reconciliation:write", "ledger:read"]) };
    await expect(confirmCorrection({ ...other, principal: weak }, of)).rejects.toMatchObject({
      kind: "UNAUTHENTICATED",
    });
    const results = await Promise.allSettled([
      confirmCorrection(other, of),
      refuseCorrection(other, of),
      confirmCorrection(other, of),
    ]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const end = await dataOf<CorrectionView>(
      await api(`${matching.path}/corrections/${waiting.id}`),
    );
    const isBooked = end.state === "booked";
    expect(["booked", "refused"]).toContain(end.state);
    expect(await balanceOf(matching.ledgers.right, "expenses:write-offs")).toBe(
      isBooked ? -250 : 0,
    );
  });

  test("is confirmed before the matching's period is over, if it has no date of its own", async () => {
    const to = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
    const matching = await newMatching({ period: { from: "2026-01-01", to } });
    await matching.book(["left"], "missing", { amount: 250n });
    await matching.run();
    const { id: line } = await onlyBreak(matching, "left");
    const request = { line, ...writeOff, account: undefined, timestamp: undefined };
    const { id } = await bookWriteOff(await contextOf(first), matching.id, request);
    const late = { ...(await contextOf(second)), clock: () => fromMillis(Date.now() + 90_000_000) };
    await expect(
      confirmCorrection(late, { matchingId: matching.id, id, note: "" }),
    ).rejects.toMatchObject({ kind: "CONFLICT" });
  });

  test("by a script of one's own needs a second person, too, and a suggested booking none", async () => {
    const { matching, line } = await withMissing();
    const one = await contextOf(first);
    const script = "send [EUR/2 250] (\n  source = @world\n  destination = @bank\n)";
    const none = { account: undefined, timestamp: undefined, vars: undefined, closes: undefined };
    const request = { ...none, line: line.id, note: "", script, side: "right" } as const;
    const program = { ...one, principal: { ...one.principal, isPerson: undefined as never } };
    await expect(bookCorrection(program, matching.id, request)).rejects.toMatchObject({
      kind: "VALIDATION",
    });
    const { id, state } = await bookCorrection(one, matching.id, request);
    expect(state).toBe("waiting");
    const of = { matchingId: matching.id, id, note: "" };
    await expect(confirmCorrection(one, of)).rejects.toMatchObject({ kind: "VALIDATION" });
    await refuseCorrection(one, of);
    const suggested = { ...request, script: undefined, side: undefined };
    expect(await bookCorrection(program, matching.id, suggested)).toMatchObject({
      state: "booked",
    });
  });

  test("that is refused books nothing, and opens its line", async () => {
    const { matching, line } = await withMissing();
    const one = await contextOf(first);
    const request = { line: line.id, ...writeOff, account: undefined, timestamp: undefined };
    const waiting = await bookWriteOff(one, matching.id, request);
    const path = `${matching.path}/corrections/${waiting.id}`;
    expect(await dataOf(await api(`${path}/refuse`, { body: { note: "no" } }))).toMatchObject({
      state: "refused",
      decisionNote: "no",
    });
    expect((await api(`${path}/confirm`, { body: {} })).status).toBe(409);
    // Somebody who has read it before it was refused books nothing any more: others may have closed the break.
    await resume(waiting.id, { state: "booking" });
    expect(await dataOf(await api(path))).toMatchObject({
      state: "failed",
      error: "the correction was given up, and holds no line any more",
    });
    expect(await onlyBreak(matching, "left")).toMatchObject({ state: "open" });
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1000);
  });
});

describe("what people do about breaks", () => {
  test("breaks are listed, summed, assigned and commented, and their history stays", async () => {
    const { matching, line } = await withMissing();
    const path = breakPath(matching, line);
    await api(path, { method: "PATCH", body: { status: "waiting", assignee: "ada" } });
    await api(path, { method: "PATCH", body: { assignee: "ada" } });
    const commented = await api(`${path}/comments`, { body: { text: "asked the bank" } });
    expect(await dataOf(commented, 201)).toMatchObject({
      status: "waiting",
      assignee: "ada",
      comments: 1,
      events: [
        { what: "status", text: "waiting" },
        { what: "assign", text: "ada" },
        { what: "comment", text: "asked the bank" },
      ],
    });
    const list = async (filter: string) =>
      (await pageOf<LineView>(await api(`${matching.path}/breaks?${filter}`))).data.length;
    expect(await list("assignee=ada")).toBe(1);
    expect(await list("assignee=bob")).toBe(0);
    expect(await list("status=waiting&class=missing_right")).toBe(1);
    expect(await list("status=open")).toBe(0);
    expect(await list("minDays=20")).toBe(1);
    expect(await list("minDays=99999")).toBe(0);
    expect(await dataOf(await api(`${matching.path}/breaks/sums`))).toMatchObject([
      { side: "left", asset: "EUR/2", class: "missing_right", lines: 1, amount: 250 },
    ]);
    for (const body of [{}, { status: "done" }])
      expect((await api(path, { method: "PATCH", body })).status).toBe(400);
    expect((await api(`${path}/comments`, { body: { text: " " } })).status).toBe(400);
    expect((await api(`${matching.path}/breaks/999`)).status).toBe(404);
  });
});

describe("the close of a period", () => {
  test("adds up to the cent, as JSON, CSV and a page", async () => {
    const matching = await newMatching({ name: "=cmd()" });
    await matching.book(["left", "right"], "before", { timestamp: "2026-01-10T12:00:00Z" });
    await matching.book(["left"], "open before", { timestamp: "2026-01-11T12:00:00Z", amount: 7n });
    await matching.book(["left", "right"], "inside", { amount: 300n });
    await matching.book(["right"], "open inside", { amount: 2n ** 60n });
    await matching.run();
    const query = "from=2026-02-01&to=2026-02-28";
    const report = await dataOf(await api(`${matching.path}/report?${query}`));
    const big = 2n ** 60n;
    expect(report).toMatchObject({
      from: "2026-02-01",
      to: "2026-02-28",
      assets: [
        {
          asset: "EUR/2",
          left: {
            opening: { lines: 2, amount: 1007 },
            matched: { lines: 1, amount: 300 },
            open: [],
            closing: { lines: 3, amount: 1307 },
            outstanding: [{ class: "missing_right", lines: 1, amount: 7 }],
          },
          right: {
            opening: { lines: 1, amount: 1000 },
            open: [{ class: "missing_left", lines: 1, amount: big }],
            closing: { lines: 3, amount: big + 1300n },
          },
          difference: 7n - big,
          outstandingDifference: 7n - big,
          matchedDifference: 0,
        },
      ],
    });
    const csv = await (await api(`${matching.path}/report.csv?${query}`)).text();
    expect(csv).toContain(`'=cmd(),2026-02-01,2026-02-28,EUR/2,right,open: missing_left,1,${big},`);
    const page = await api(`${matching.path}/report.html?${query}`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain("<td>Closing</td>");
    for (const wrong of ["from=2026-03-01&to=2026-02-01", "from=2020-01-01", "from=tomorrow"])
      expect((await api(`${matching.path}/report?${wrong}`)).status).toBe(400);
  });
});
