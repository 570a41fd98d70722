import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { api } from "#test/support/platform/api.ts";
import { comeBack, type RowRecord, withRows } from "#test/support/platform/backup/come-back.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { pageOf } from "#test/support/reconciliation/books.ts";
import { collect } from "#test/support/reconciliation/sources.ts";
import {
  fileOf,
  MARCH,
  newStatementSource,
  objectOf,
  statementsPath,
  type StatementView,
  uploaded,
} from "#test/support/reconciliation/uploads.ts";

const file = (id: string, amounts: readonly number[]): string => fileOf({ ...MARCH, id }, amounts);

const statementsOf = async (source: string): Promise<readonly StatementView[]> =>
  (await pageOf<StatementView>(await api(statementsPath(source)))).data;

/** Changes the saved files with some ids. */
const filesWith = (changes: Readonly<Record<string, RowRecord>>) => ({
  change: (saved: Parameters<typeof withRows>[0]) =>
    withRows(saved, "file", (rows) =>
      rows.map((row) => ({ ...row, ...changes[typeof row["id"] === "string" ? row["id"] : ""] })),
    ),
});

/** Rings the alarm of a source until no statement is being read. */
const settled = (source: string): Promise<readonly StatementView[]> =>
  eventually(async () => {
    await runDurableObjectAlarm(objectOf(source));
    const found = await statementsOf(source);
    expect(found.map(({ state }) => state)).not.toContain("reading");
    return found;
  });

const setState = (id: string, state: string) =>
  env.DB.prepare("UPDATE reconciliation_statements SET state = ? WHERE id = ?")
    .bind(state, id)
    .run();

test("the lines of a file come back, and the next ones get other keys", async () => {
  const source = await newStatementSource();
  await uploaded(source, file("a", [1, 2]));
  await comeBack(() => objectOf(source));
  await uploaded(source, fileOf({ ...MARCH, id: "b", from: "2026-04-01", to: "2026-04-30" }, [3]));
  const { lines } = await collect(source);
  expect(lines.map(({ sourceId, amount }) => [sourceId, amount])).toEqual([
    ["1", 1n],
    ["2", 2n],
    ["3", 3n],
  ]);
});

test("a file that the database does not have is forgotten with its lines, and can be uploaded again", async () => {
  const source = await newStatementSource();
  const { id } = await uploaded(source, file("a", [1, 2]));
  await env.DB.prepare("DELETE FROM reconciliation_statement_heads WHERE source_id = ?")
    .bind(source)
    .run();
  await env.DB.prepare("DELETE FROM reconciliation_statements WHERE id = ?").bind(id).run();
  await comeBack(() => objectOf(source));
  await settled(source);
  expect((await collect(source)).lines).toEqual([]);
  expect(await uploaded(source, file("a", [1, 2]))).toMatchObject({ state: "ready", lines: 2 });
});

test("a file that was being read at the moment of the database is ready if it was read later, and refused if not", async () => {
  const source = await newStatementSource();
  const read = await uploaded(source, file("a", [1]));
  const cutOff = await uploaded(
    source,
    fileOf({ ...MARCH, id: "b", from: "2026-04-01", to: "2026-04-30" }, [3]),
  );
  for (const { id } of [read, cutOff]) await setState(id, "reading");
  await env.DB.prepare("DELETE FROM reconciliation_statement_heads WHERE source_id = ?")
    .bind(source)
    .run();
  await comeBack(
    () => objectOf(source),
    filesWith({
      [cutOff.id]: { state: "stored", verdict: null, first_line: null, last_line: null },
    }),
  );
  const found = await settled(source);
  const byId = new Map(found.map((one) => [one.id, one]));
  expect(byId.get(read.id)).toMatchObject({ state: "ready", lines: 1, heads: [{ name: "a" }] });
  expect(byId.get(cutOff.id)).toMatchObject({ state: "refused" });
  expect(byId.get(cutOff.id)?.refusal?.message).toContain("upload it again");
  expect((await collect(source)).lines.map(({ amount }) => amount)).toEqual([1n]);
});

test("a file that somebody has deleted since is deleted, also where its lines are gone already", async () => {
  const source = await newStatementSource();
  const gone = await uploaded(source, file("a", [1]));
  await comeBack(() => objectOf(source), {
    change: (saved) => {
      const without = withRows(saved, "file", () => []);
      return withRows(without, "line", () => []);
    },
  });
  expect(await statementsOf(source)).toEqual([]);
  const answer = await api(`${statementsPath(source)}/${gone.id}`);
  expect(answer.status).toBe(404);
  const kept = present(await uploaded(source, file("a", [1])), "it is read");
  expect(kept.state).toBe("ready");
});
