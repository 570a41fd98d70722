import { expect, test } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { KNOWN_MIGRATIONS, rollOut } from "#test/support/upgrade/rollout.ts";

/** Half a minute in all, at a pace that leaves the processors to other tests. */
const LOAD = { durationMs: 10_000, pauseMs: 1000 };

test.each(Object.keys(KNOWN_MIGRATIONS))(
  "a rollout over %s answers every request, with objects of the old code, of the new and of the old again",
  async (release) => {
    expect(MIGRATIONS).toEqual(expect.arrayContaining([...(KNOWN_MIGRATIONS[release] ?? [])]));
    expect(await rollOut(release, LOAD)).toEqual([]);
  },
);
