import {
  FILTER_SHARE_NAMES,
  filterShares,
  READ_SHARE_NAMES,
  readShares,
  type ShareCase,
  SINGLE_SHARE_NAME,
  singleShares,
  WRITTEN_SHARE_NAMES,
} from "./cases.ts";
import type { Share } from "./share.ts";
import { measureWebhookShares, WEBHOOK_SHARE_NAMES } from "./webhooks.ts";
import { BenchApi } from "#bench/api.ts";
import type { LoadJob } from "#bench/load/job.ts";
import { LoadGenerator } from "#bench/load/load-generator.ts";
import { withServer } from "#bench/server.ts";

export const SHARE_NAMES: readonly string[] = [
  ...READ_SHARE_NAMES,
  ...WRITTEN_SHARE_NAMES,
  ...FILTER_SHARE_NAMES,
  SINGLE_SHARE_NAME,
  ...WEBHOOK_SHARE_NAMES,
];

/**
 * Rounds and their time, in milliseconds. Rounds are short, so that other work of a shared machine slows both sides, and many, so that they
 * cover several garbage collections.
 */
const ROUNDS = 30;
const ROUND_MS = 200;
/** Warm-up of each side, in milliseconds: the runtime compiles functions after some thousand calls. */
const WARM_UP_MS = 1500;

interface ShareOptions {
  readonly wants: (name: string) => boolean;
  readonly size: number;
  readonly scripts: { readonly product: string; readonly ceilings: string };
}

/** Measures each case in turns with its ceiling, so that other work of the machine slows both. */
export function measureShares(
  { wants, size, scripts }: ShareOptions,
  take: (share: Share) => void,
): Promise<void> {
  return withServer(scripts.product, (product) =>
    withServer(scripts.ceilings, async (server) => {
      const api = new BenchApi(product.url, await product.authorize());
      const ceilings = new BenchApi(server.url, {});
      const cases = [
        ...([...READ_SHARE_NAMES, ...WRITTEN_SHARE_NAMES].some(wants)
          ? await readShares(size, api)
          : []),
        ...(FILTER_SHARE_NAMES.some(wants) ? await filterShares(size, api) : []),
        ...(wants(SINGLE_SHARE_NAME) ? await singleShares(api) : []),
      ];
      const generator = new LoadGenerator();
      try {
        for (const item of cases.filter(({ name }) => wants(name))) {
          take(await measureCase(item, { api, ceilings, generator }));
        }
        if (WEBHOOK_SHARE_NAMES.some(wants)) {
          const shares = await measureWebhookShares({ api, ceilings, generator });
          for (const share of shares.filter(({ name }) => wants(name))) take(share);
        }
      } finally {
        await generator.stop();
      }
    }),
  );
}

type LoadCase = Omit<LoadJob, "durationMs">;

interface Tools {
  readonly api: BenchApi;
  readonly ceilings: BenchApi;
  readonly generator: LoadGenerator;
}

async function measureCase(
  { name, clients, load, ceiling, target, beside }: ShareCase,
  { api, ceilings, generator }: Tools,
): Promise<Share> {
  const job = { concurrency: clients };
  const [origin, headers] = [api.url, api.headers];
  const own: LoadCase = { ...job, origin, headers, load, beside: beside?.own };
  const other: LoadCase = {
    ...job,
    origin: ceilings.url,
    headers: {},
    load: ceiling,
    beside: beside?.ceiling,
  };
  const sides = [own, other].map((wanted) => ({ wanted, requests: 0, seconds: 0 }));
  for (const wanted of [own, other]) await generator.run({ ...wanted, durationMs: WARM_UP_MS });
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const { requests, seconds } = await generator.run({ ...side.wanted, durationMs: ROUND_MS });
      side.requests += requests;
      side.seconds += seconds;
    }
  }
  const [perSecond = 0, ceilingPerSecond = 0] = sides.map(rateOf);
  return {
    name,
    clients,
    perSecond,
    ceilingPerSecond,
    share: perSecond / ceilingPerSecond,
    target,
  };
}

/**
 * The rate over all turns together. A median would leave out garbage collections, which differ between the sides: the product has a pause
 * of 30 ms in most turns, the ceiling a pause of 100 ms in some.
 */
const rateOf = ({ requests, seconds }: { requests: number; seconds: number }): number =>
  requests / seconds;
