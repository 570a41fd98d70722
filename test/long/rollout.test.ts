import { expect, test } from "vitest";
import { KNOWN_MIGRATIONS, rollOut } from "#test/support/upgrade/rollout.ts";

/** Time of the load for each code of the objects: ten minutes in all. */
const LOAD_MS = 200_000;

test.each(Object.keys(KNOWN_MIGRATIONS))(
  "a rollout over %s answers every request for ten minutes",
  async (release) => {
    expect(await rollOut(release, LOAD_MS)).toEqual([]);
  },
  LOAD_MS * 5,
);
