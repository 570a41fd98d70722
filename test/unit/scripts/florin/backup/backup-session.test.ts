import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { BackupSession } from "#scripts/florin/backup/calls/backup-session.ts";
import { BackupServer } from "#test/support/platform/backup/backup-server.ts";

const server = new BackupServer();
afterEach(() => server.close());

const HALF_AN_HOUR = 1_800_000;

test("a backup that lasts begins another one, once for all calls that wait for it, and never uses the old one again", async () => {
  let nowMs = 0;
  const session = await BackupSession.begin(await server.open(), () => nowMs);
  const read = () =>
    session.call({ method: "GET", path: "/api/florin/v1/backup/objects", answer: z.unknown() });
  await read();
  nowMs = HALF_AN_HOUR - 1;
  await read();
  expect(session.ids).toEqual(["backup-1"]);
  nowMs = HALF_AN_HOUR;
  await Promise.all([read(), read(), read()]);
  expect(session.ids).toEqual(["backup-1", "backup-2"]);
  expect(server.queries.map((query) => query.get("backup"))).toEqual([
    "backup-1",
    "backup-1",
    "backup-2",
    "backup-2",
    "backup-2",
  ]);
  expect(session.keyId).toBe(server.keyId);
});
