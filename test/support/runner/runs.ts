/** The share of the runs of a property that `npm test` makes. `npm run test:long` makes all of them. */
const SHARE = 1 / 4;

/** Whether to make all runs. `test/vitest.config.ts` sets the variable for the long tests. */
const makesAll = process.env["PROPERTY_RUNS"] === "all";

/**
 * The number of runs of a property, or of runs that must show an outcome, from the number for all runs, and the share of them that
 * `npm test` makes.
 */
export const runsOf = (all: number, share = SHARE): number =>
  makesAll ? all : Math.ceil(all * share);
