import { median } from "./against/comparison.ts";
import { BenchApi } from "./api.ts";
import { ACCOUNTS, ceilingCases, fill, writeCases } from "./cases.ts";
import type { LoadJob } from "./load/job.ts";
import { LoadGenerator } from "./load/load-generator.ts";
import type { Case } from "./measure.ts";
import { withServer } from "./server.ts";

/** The two cases whose rates are compared, at this many clients. */
export const SHARE_NAMES = { single: "single-random", ceiling: "ceiling-insert" } as const;
const CLIENTS = 64;

/** Compares the rate of single transactions with that of an object which only inserts one row for each request. */
export interface Share {
  readonly clients: number;
  readonly singlesPerSecond: number;
  readonly ceilingPerSecond: number;
  readonly share: number;
}

const ROUNDS = 7;
const ROUND_MS = 1000;

/** Measures both in turns, so that whatever else the machine does slows both, and takes the medians. */
export function measureShare(scripts: { product: string; ceilings: string }): Promise<Share> {
  return withServer(scripts.product, (product) =>
    withServer(scripts.ceilings, async (ceilings) => {
      const api = new BenchApi(product.url, await product.authorize());
      await api.createLedger("random");
      await fill("random", ACCOUNTS, api);
      const [singlesPerSecond, ceilingPerSecond] = await inTurns(
        jobOf(api, pick(writeCases(), SHARE_NAMES.single)),
        jobOf(new BenchApi(ceilings.url, {}), pick(ceilingCases(), SHARE_NAMES.ceiling)),
      );
      const share = singlesPerSecond / ceilingPerSecond;
      return { clients: CLIENTS, singlesPerSecond, ceilingPerSecond, share };
    }),
  );
}

function pick(cases: readonly Case[], name: string): Case {
  const found = cases.find((item) => item.name === name && item.concurrency === CLIENTS);
  if (found === undefined) throw new Error(`there is no case ${name} with ${CLIENTS} clients`);
  return found;
}

const jobOf = ({ url: origin, headers }: BenchApi, { concurrency, load }: Case): LoadJob => ({
  origin,
  headers,
  concurrency,
  durationMs: ROUND_MS,
  load,
});

/** The median rates of two jobs, in requests per second. */
async function inTurns(first: LoadJob, second: LoadJob): Promise<[number, number]> {
  const generator = new LoadGenerator();
  const rateOf = async (job: LoadJob): Promise<number> => {
    const { requests, seconds } = await generator.run(job);
    return requests / seconds;
  };
  const rates: [number, number][] = [];
  try {
    for (const job of [first, second]) await generator.run(job); // warms up
    for (let round = 0; round < ROUNDS; round++) {
      rates.push([await rateOf(first), await rateOf(second)]);
    }
  } finally {
    await generator.stop();
  }
  return [median(rates.map(([rate]) => rate)), median(rates.map(([, rate]) => rate))];
}
