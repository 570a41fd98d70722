import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { arm, armForTheNextFile } from "#test/support/deployment/arming.ts";
import {
  pipelineObject,
  pipelineOf,
  ring,
  running,
  settled,
  write,
} from "#test/support/exporters/pipelines.ts";
import { comeBack, type RowRecord, withRows } from "#test/support/platform/backup/come-back.ts";
import { eventually } from "#test/support/platform/eventually.ts";

afterAll(armForTheNextFile);
beforeEach(async () => {
  await arm();
});

/** Changes the progress that is saved. */
const progressWith = (change: RowRecord) => ({
  change: (saved: Parameters<typeof withRows>[0]) =>
    withRows(saved, "progress", (rows) => rows.map((row) => ({ ...row, ...change }))),
});

test("a pipeline goes on where it was, and sends nothing twice", async () => {
  const { endpoint, ledger, id } = await running();
  await write(ledger, 2);
  await settled(ledger, id, 2);
  await comeBack(() => pipelineObject(id));
  expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID: 2 });
  await write(ledger, 1);
  await settled(ledger, id, 3);
  expect(endpoint.ids).toEqual([1, 2, 3]);
});

test("entries that get the ids of those that only the original has sent are sent, too", async () => {
  const { endpoint, ledger, id } = await running();
  await write(ledger, 1);
  await settled(ledger, id, 1);
  await comeBack(() => pipelineObject(id), progressWith({ last_log: 7, entries: 7 }));
  expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID: 1 });
  await write(ledger, 1);
  await settled(ledger, id, 2);
  expect(endpoint.ids).toEqual([1, 2]);
});

test("the database decides what a pipeline does, also where its object knows a later revision", async () => {
  const { endpoint, ledger, id } = await running();
  await write(ledger, 1);
  await settled(ledger, id, 1);
  await comeBack(() => pipelineObject(id), progressWith({ revision: 1000, resets: 5 }));
  await env.DB.prepare("UPDATE pipelines SET enabled = 0, revision = revision + 1 WHERE id = ?")
    .bind(id)
    .run();
  await pipelineObject(id).refresh();
  await write(ledger, 1);
  await ring(id);
  await eventually(async () =>
    expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID: 1 }),
  );
  expect(endpoint.ids).toEqual([1]);
});
