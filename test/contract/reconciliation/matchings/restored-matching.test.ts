import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { comeBack, type RowRecord, withRows } from "#test/support/platform/backup/come-back.ts";
import { newMatching } from "#test/support/reconciliation/matchings.ts";

test("lines that the ledgers do not have go with their groups, decisions stay, and the next run matches the rest", async () => {
  const matching = await newMatching();
  await matching.book(["left", "right"], "INV-1001");
  await matching.book(["left", "right"], "INV-2002");
  await matching.run();
  const made = await matching.groups();
  expect(made.map(({ state }) => state)).toEqual(["matched", "matched"]);
  const broken = present(made[0], "the run has matched").id;
  expect((await matching.decide(broken, "break", { note: "no" })).status).toBe(200);

  // The original has booked once more, has matched it, and works on another run.
  await comeBack(() => env.MATCHINGS.getByName(matching.id), {
    change: (saved) => {
      const lines = (rows: readonly RowRecord[]): readonly RowRecord[] => {
        const further = ["in"].flatMap((end) =>
          rows.slice(0, 2).map((row, place) => ({
            ...row,
            id: 100 + place,
            side: place,
            source_id: `3.0.${end}`,
            state: 1,
            line_group: 50,
          })),
        );
        return [...rows, ...further];
      };
      const groups = (rows: readonly RowRecord[]): readonly RowRecord[] => [
        ...rows,
        { ...rows[0], id: 50, state: "matched", left_lines: "[100]", right_lines: "[101]" },
      ];
      const runs = (rows: readonly RowRecord[]): readonly RowRecord[] => [
        ...rows,
        {
          ...rows[0],
          id: 2,
          state: "collecting",
          cursor: '{"phase":"collect","side":"left"}',
          ended_at: null,
          is_copied: 1,
        },
      ];
      const withLines = withRows(saved, "line", lines);
      return withRows(withRows(withLines, "line_group", groups), "run", runs);
    },
  });
  expect((await matching.lines()).map(({ sourceLineID }) => sourceLineID).toSorted()).toEqual([
    "1.0.in",
    "1.0.in",
    "2.0.in",
    "2.0.in",
  ]);
  const known = await matching.groups();
  expect(known.map(({ id }) => id)).not.toContain(50);
  expect(known.find(({ id }) => id === broken)).toMatchObject({ state: "broken" });
  await matching.book(["left", "right"], "INV-3003");
  const run = await matching.run();
  expect(run).toMatchObject({ id: 3, state: "done" });
  const lines = (await matching.lines()).filter(({ state }) => state === "matched");
  expect(lines.filter(({ sourceLineID }) => sourceLineID === "3.0.in")).toHaveLength(2);
});

test("lines that a correction holds are open again where the database does not have it", async () => {
  const matching = await newMatching();
  await matching.book(["left"], "missing");
  await matching.run();
  await comeBack(() => env.MATCHINGS.getByName(matching.id), {
    change: (saved) => {
      const held = withRows(saved, "held", () => [
        { correction: crypto.randomUUID(), lines: "[1]", line_group: null },
      ]);
      return withRows(held, "line", (rows) => rows.map((row) => ({ ...row, state: 3 })));
    },
  });
  expect(await matching.lines()).toMatchObject([{ state: "open" }]);
});
