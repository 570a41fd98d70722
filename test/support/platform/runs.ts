/** What `npm test` makes of the runs of a property that takes long. `npm run test:long` makes all of them. */
const SHARE = 1 / 3;

/** `test/vitest.config.ts` sets it for the long tests. */
const makesAll = process.env["PROPERTY_RUNS"] === "all";

/** How often a property is tried, or how many of its runs have to show something, given the number for all runs. */
export const runsOf = (all: number): number => (makesAll ? all : Math.ceil(all * SHARE));
