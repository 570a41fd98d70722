import { beforeEach, expect, test, vi } from "vitest";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { keepSize, listLarge } from "#platform/storage/sizes.ts";
import { sweepSizes } from "#platform/storage/watch.ts";
import { fromMillis } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const START = Date.parse("2026-03-01T00:00:00Z");
const HOUR = 3_600_000;

let d1: NodeD1;
let nowMs: number;
let context: ServiceContext;
beforeEach(() => {
  vi.restoreAllMocks();
  d1 = new NodeD1();
  d1.migrate();
  nowMs = START;
  const env = { DB: d1.binding } as unknown as Env; // the watch uses only these members
  context = { ...systemContext(env, "test"), clock: () => fromMillis(nowMs) };
});

/** The lines that are logged after this call. */
function linesOf(level: "warn" | "error"): unknown[] {
  const lines: unknown[] = [];
  vi.spyOn(console, level).mockImplementation((line: string) => {
    lines.push(JSON.parse(line));
  });
  return lines;
}

test("the database is measured, and nothing is said of one that has room", async () => {
  const lines = linesOf("warn");
  expect(await sweepSizes(context)).toBe(START + HOUR);
  const [row] = d1.rows("SELECT * FROM storage_sizes");
  const [pages] = d1.rows("PRAGMA page_count");
  expect(row).toMatchObject({
    name: "database",
    bytes: Number(pages?.["page_count"]) * 4096,
    measured_ms: START,
  });
  expect(lines).toEqual([]);
});

test("the log says from 70 % of a limit on which storage is how large, how it grows, and what to do", async () => {
  const [warnings, errors] = [linesOf("warn"), linesOf("error")];
  await keepSize(d1.db, "ledger/small", { bytes: 6_999_999_999, measuredMs: START - 24 * HOUR });
  await keepSize(d1.db, "ledger/main", { bytes: 6_800_000_000, measuredMs: START - 24 * HOUR });
  await keepSize(d1.db, "ledger/main", { bytes: 7_000_000_000, measuredMs: START });
  await keepSize(d1.db, "ledger/last", { bytes: 9_000_000_000, measuredMs: START });
  await sweepSizes(context);
  expect(warnings).toEqual([
    expect.objectContaining({
      level: "warn",
      message: "storage is 70 % full",
      what: "ledger/main",
      bytes: 7_000_000_000,
      limitBytes: 10_000_000_000,
      growthPerDay: 200_000_000,
      fullInDays: 15,
      whatToDo: expect.stringContaining("go on in a new ledger") as string,
    }),
  ]);
  expect(errors).toEqual([
    expect.objectContaining({ message: "storage is 90 % full", what: "ledger/last" }),
  ]);
  expect((await listLarge(d1.db, nowMs)).map(({ name }) => name)).toEqual([
    "ledger/last",
    "ledger/main",
  ]);
});

test("a large database is told of with what makes room in it", async () => {
  const lines = linesOf("warn");
  d1.onStatement = (text) => {
    // The storage grows between the two statements.
    if (text.includes("order by")) d1.exec("UPDATE storage_sizes SET bytes = 8000000000");
  };
  await sweepSizes(context);
  expect(lines).toEqual([
    expect.objectContaining({
      message: "storage is 80 % full",
      what: "database",
      whatToDo: expect.stringContaining("When the disk is full") as string,
    }),
  ]);
});

test("a size is kept where the database is full", async () => {
  d1.exec(
    "INSERT INTO storage_reserve (slot, bytes) SELECT value, zeroblob(32768) FROM json_each('[1,2,3,4]')",
  );
  d1.fill(
    "INSERT INTO storage_sizes (name, bytes, measured_ms, day_bytes, day_ms) VALUES (hex(randomblob(9)), 1, 1, 1, 1)",
  );
  await keepSize(d1.db, "ledger/main", { bytes: 7_000_000_000, measuredMs: START });
  expect((await listLarge(d1.db, nowMs)).map(({ name }) => name)).toEqual(["ledger/main"]);
});
