import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** Lines of each side, those of the second run, and how often the server is killed while the first run works. */
const LINES = Number(process.env["MATCHING_LINES"] ?? 10_000);
const LATER_LINES = Number(process.env["MATCHING_LATER_LINES"] ?? 1000);
const KILLS = Number(process.env["MATCHING_KILLS"] ?? 5);
const BULK = 1000;
/** How often each list is read after the runs. */
const IDLE_TURNS = 100;

const SIDES = ["left", "right"] as const;
const PREFIX = "/api/florin/v1/reconciliation";
/** The 100th line is one side's only, the 200th the other side's, and so on. */
const BROKEN_EVERY = 100;

const folder = freshFolder();
let server: LocalServer;
/** How long the answers of each list took, in milliseconds. */
const durations = new Map<string, number[]>();
/** How long the first answers of each list after a start took: the server reads its code and the matching for them. */
const firstDurations = new Map<string, number[]>();

beforeAll(async () => {
  server = await LocalServer.start(folder);
});

afterAll(() => server?.killAll());

const isOpen = (line: number): boolean => line % BROKEN_EVERY === 0;

const isOn = (side: (typeof SIDES)[number], line: number): boolean =>
  !isOpen(line) || (line / BROKEN_EVERY) % 2 === (side === "left" ? 0 : 1);

const DAYS = 50;
const DAY_MS = 86_400_000;

/** The lines come in the order of their days, as the books of a firm do. */
const day = (line: number): string =>
  new Date(
    Date.UTC(2026, 0, 1, 12) + Math.floor((line * DAYS) / (LINES + LATER_LINES)) * DAY_MS,
  ).toISOString();

/** Books lines on both sides, whose references end in a number. */
async function book(from: number, to: number): Promise<void> {
  for (const side of SIDES) {
    for (let first = from; first < to; first += BULK) {
      const lines = Array.from({ length: Math.min(BULK, to - first) }, (_, place) => first + place);
      const body = lines
        .filter((line) => isOn(side, line))
        .map((line) => ({
          action: "CREATE_TRANSACTION",
          data: {
            postings: [
              { source: "world", destination: "bank", asset: "EUR/2", amount: 1000 + (line % 977) },
            ],
            timestamp: day(line),
            metadata: { order: `order-${line}` },
          },
        }));
      await server.json(`/api/ledger/v2/${side}/_bulk?atomic=true`, { body });
    }
  }
}

interface RunView {
  readonly id: number;
  readonly state: string;
  readonly matched: number;
  readonly open: number;
  readonly error?: string;
}

/** The median, the 99th percentile and the maximum of durations, in whole milliseconds. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `median ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms of ${sorted.length}`;
}

/** Reads lists, and notes how long their answers take. */
async function readLists(path: string, noted = durations): Promise<void> {
  for (const list of [
    "lines?pageSize=100",
    "lines?pageSize=100&state=unmatched&side=left",
    "lines?pageSize=100&state=matched&side=right&asset=EUR/2",
    "lines?pageSize=100&class=missing_left",
    "lines?q=order-7",
    "groups?pageSize=100",
    "groups?pageSize=100&state=proposed",
  ]) {
    const startedMs = performance.now();
    await server.json(`${path}/${list}`);
    noted.set(list, [...(noted.get(list) ?? []), performance.now() - startedMs]);
  }
}

/** Waits for a run, and reads lists meanwhile. Kills the server that many times. */
async function follow(path: string, id: number, kills: number): Promise<RunView> {
  let left = kills;
  for (let turn = 0; ; turn += 1) {
    const { data: run } = (await server.json(`${path}/runs/${id}`)) as { data: RunView };
    if (run.state === "done" || run.state === "failed") return run;
    if (left > 0 && turn % 4 === 1) {
      left -= 1;
      await delay((turn * 337) % 900);
      await server.killAll();
      server = await LocalServer.start(folder);
      await readLists(path, firstDurations);
    }
    await readLists(path);
    await delay(50);
  }
}

test(
  "a run survives kills, matches no line twice, and leaves lists their turn",
  { timeout: 3_600_000 },
  async () => {
    const sources: string[] = [];
    for (const side of SIDES) {
      await server.json(`/api/ledger/v2/${side}`, { method: "POST" });
      const fields = { name: side, kind: "accounts", ledger: side, account: "bank" };
      const body = { ...fields, references: { endToEndId: "order" } };
      const made = await server.json(`${PREFIX}/sources`, { body });
      sources.push((made as { data: { id: string } }).data.id);
    }
    await book(1, LINES + 1);
    const [leftSourceID, rightSourceID] = sources;
    const body = { name: "m", leftSourceID, rightSourceID, period: { from: "2026-01-01" } };
    const made = await server.json(`${PREFIX}/matchings`, { body });
    const path = `${PREFIX}/matchings/${(made as { data: { id: string } }).data.id}`;
    const run = async (kills: number): Promise<RunView> => {
      const begun = await server.json(`${path}/runs`, { method: "POST" });
      return follow(path, (begun as { data: RunView }).data.id, kills);
    };
    const startedMs = performance.now();
    const first = await run(KILLS);
    const firstMs = performance.now() - startedMs;
    const open = Math.floor(LINES / BROKEN_EVERY);
    expect(first).toMatchObject({ state: "done", matched: LINES - open, open });
    await book(LINES + 1, LINES + LATER_LINES + 1);
    const secondStartedMs = performance.now();
    const second = await run(0);
    const secondMs = performance.now() - secondStartedMs;
    const later = Math.floor((LINES + LATER_LINES) / BROKEN_EVERY) - open;
    expect(second).toMatchObject({ matched: LATER_LINES - later, open: open + later });
    const lines = await linesOf(path);
    expect(lines.size).toBe(2 * (LINES + LATER_LINES) - open - later);
    const pairs = new Map<number, string[]>();
    for (const { group, reference } of lines.values())
      if (group !== undefined) pairs.set(group, [...(pairs.get(group) ?? []), reference]);
    const wrong = [...pairs.values()].filter(
      ({ length, 0: first, 1: second }) => length !== 2 || first !== second,
    );
    expect(wrong).toEqual([]);
    expect(pairs.size).toBe(LINES + LATER_LINES - open - later);
    // The checks took longer than the server keeps an idle connection, and the next request would be sent on it.
    await delay(100);
    const whileWorking = new Map(durations);
    durations.clear();
    for (let turn = 0; turn < IDLE_TURNS; turn += 1) await readLists(path);
    process.stdout.write(
      `${LINES} lines a side in ${Math.round(firstMs)} ms with ${KILLS} kills, ${LATER_LINES} more in ${Math.round(secondMs)} ms\n`,
    );
    for (const [list, values] of durations) {
      process.stdout.write(
        `${list}: ${spread(values)}; while a run works: ${spread(whileWorking.get(list) ?? [])}; ` +
          `first after a start: ${spread(firstDurations.get(list) ?? [])}\n`,
      );
    }
  },
);

/** All lines of the matching, with the groups that match them: a proposal is a question, and may be of lines with different references. */
async function linesOf(path: string) {
  const lines = new Map<number, { readonly group?: number; readonly reference: string }>();
  for (let cursor = ""; ;) {
    const query = cursor === "" ? "pageSize=100" : `pageSize=100&cursor=${cursor}`;
    const page = (await server.json(`${path}/lines?${query}`)) as {
      cursor: {
        next: string;
        data: { id: number; state: string; group?: number; texts: { endToEndId: string } }[];
      };
    };
    for (const { id, state, group, texts } of page.cursor.data) {
      expect(lines.has(id)).toBe(false);
      lines.set(id, {
        ...(state === "matched" && group !== undefined ? { group } : {}),
        reference: texts.endToEndId,
      });
    }
    cursor = page.cursor.next;
    if (cursor === "") return lines;
  }
}
