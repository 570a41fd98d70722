import { expect, test } from "vitest";
import { KNOWN_MIGRATIONS, rollOut } from "#test/support/upgrade/rollout.ts";

/** Time of the load for each code of the objects: ten minutes in all. */
const LOAD = { durationMs: 200_000, pauseMs: 0 };

test.each(Object.keys(KNOWN_MIGRATIONS))(
  "a rollout over %s answers every request for ten minutes",
  async (release) => {
    expect(await rollOut(release, LOAD)).toEqual([]);
  },
  LOAD.durationMs * 5,
);
