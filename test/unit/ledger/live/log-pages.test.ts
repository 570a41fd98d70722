import { expect, test, vi } from "vitest";
import { LogPages, type PagedLog } from "#modules/ledger/live/log-pages.ts";
import type { StreamedLog } from "#modules/ledger/objects/streamed-log.ts";

vi.stubGlobal("scheduler", {
  wait: (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
});

/** A log whose entries have texts of a length, and the reads of it. */
function logOf(head: number, textLength = 10, partMax = 1000) {
  const reads: string[] = [];
  const readStreamedPage = async (after: number, to: number) => {
    reads.push(`${after}…${to}`);
    await Promise.resolve();
    const end = Math.min(to, head, after + partMax);
    const entries = Array.from({ length: end - after }, (_, index) => ({
      id: after + 1 + index,
      text: "x".repeat(textLength),
      accounts: [],
      balances: [],
    }));
    return { ok: true, value: { after, to: end, entries } satisfies StreamedLog };
  };
  const object = { readStreamedPage } as unknown as PagedLog["object"]; // what pages use of it
  return { log: { object, uuid: "0f0e0d0c-0000-7000-8000-00009f3a1c2b", head }, reads };
}

test("streams that come back together read each page once", async () => {
  const pages = new LogPages();
  const { log, reads } = logOf(300);
  const found = await Promise.all([-1, 5, 126, 127, 200].map((from) => pages.after(from, log)));
  expect(found.map(({ after, to }) => [after, to])).toEqual([
    [-1, 127],
    [-1, 127],
    [-1, 127],
    [127, 255],
    [127, 255],
  ]);
  expect(reads).toEqual(["-1…127", "127…255"]);
  await pages.after(60, log);
  expect(reads).toHaveLength(2);
});

test("the last page, to which the log does not reach yet, is read each time from the position on", async () => {
  const { log, reads } = logOf(300);
  const pages = new LogPages();
  for (const from of [255, 290]) expect(await pages.after(from, log)).toMatchObject({ to: 300 });
  expect(reads).toEqual(["255…300", "290…300"]);
});

test("a page whose parts are small is read in several calls", async () => {
  const { log, reads } = logOf(300, 10, 50);
  expect(await new LogPages().after(0, log)).toMatchObject({ after: -1, to: 127 });
  expect(reads).toEqual(["-1…127", "49…127", "99…127"]);
});

test("a page of large entries is given in parts, each of which reaches beyond the position", async () => {
  const { log, reads } = logOf(300, 400_000, 1);
  const pages = new LogPages();
  expect(await pages.after(-1, log)).toMatchObject({ after: -1, to: 2 });
  expect(await pages.after(100, log)).toMatchObject({ after: 100, to: 103 });
  expect(reads).toHaveLength(3 + 3 + 3);
});

test("a stream reads a page itself where the request that was reading it has ended", async () => {
  const pages = new LogPages();
  const { log } = logOf(300);
  const { promise, reject } = Promise.withResolvers<never>();
  const hung = { ...log, object: { readStreamedPage: () => promise } };
  const first = Promise.allSettled([pages.after(0, hung as unknown as PagedLog)]);
  expect(await pages.after(0, log)).toMatchObject({ to: 127 });
  reject(new Error("the request has ended")); // Otherwise the read fails by its time limit, after the test.
  expect(await first).toMatchObject([{ status: "rejected" }]);
});
