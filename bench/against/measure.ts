import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BULKS_NAME, runBulks } from "../bulks/measure.ts";
import { ACCOUNTS, fill, LEDGERS, READ_NAMES, readCases, writeCases } from "../cases.ts";
import { LoadGenerator } from "../load/load-generator.ts";
import type { Case } from "../measure.ts";
import type { Options } from "../options.ts";
import { PAYMENT_LIST_NAMES, paymentListCases } from "../payment-lists.ts";
import { COPY_NAMES, runReads, VERIFICATION_NAME } from "../reads/measure.ts";
import { measureWebhooks, WEBHOOK_NAMES } from "../webhooks.ts";
import { Checkout } from "./checkout.ts";
import { type Comparison, compare, type Pair, type Slice } from "./comparison.ts";
import { OperatorError, ROOT } from "#scripts/lib/project.ts";

export const IN_PROCESS_NAME = "in-process";

const SLICE_MS = 1500;

export interface AgainstOptions extends Pick<Options, "wants" | "size" | "pairs" | "reads"> {
  /** The folder of the other checkout. */
  readonly against: string;
}

type Take = (comparison: Comparison) => void;

/** A value of the other checkout, and the value of this checkout. */
type Both<T> = readonly [before: T, after: T];

/**
 * Measures this checkout and another one in turns, slice by slice: the speed of a machine changes over minutes, so that two consecutive
 * runs may differ more than the checkouts do.
 */
export async function measureAgainst(options: AgainstOptions, take: Take): Promise<void> {
  const { wants, against } = options;
  const roots: Both<string> = [resolve(against), ROOT];
  const writeNames = writeCases().map(({ name }) => name);
  const names = [...writeNames, ...READ_NAMES, ...PAYMENT_LIST_NAMES, ...WEBHOOK_NAMES];
  if (names.some(wants)) {
    const before = await Checkout.start(roots[0]);
    try {
      const after = await Checkout.start(roots[1]);
      try {
        await compareProducts([before, after], options, take);
      } finally {
        await after.stop();
      }
    } finally {
      await before.stop();
    }
  }
  if (wants(IN_PROCESS_NAME)) await compareReadsInProcess(roots, options, take);
  if (wants(BULKS_NAME)) await compareBulks(roots, options, take);
}

async function compareProducts(
  products: Both<Checkout>,
  options: AgainstOptions,
  take: Take,
): Promise<void> {
  const { wants, size, pairs } = options;
  const writes = writeCases().filter(({ name }) => wants(name));
  if (writes.length > 0) {
    for (const { api } of products) {
      for (const ledger of LEDGERS) await api.createLedger(ledger);
      await fill("random", ACCOUNTS, api);
    }
    await compareCases(products, { cases: [writes, writes], pairs }, take);
  }
  const prepared = async (prepare: (product: Checkout) => Promise<Case[]>) => {
    const [before, after] = products;
    const cases: Both<Case[]> = [await prepare(before), await prepare(after)];
    const wanted = cases.map((all) => all.filter(({ name }) => wants(name)));
    await compareCases(products, { cases: [wanted[0] ?? [], wanted[1] ?? []], pairs }, take);
  };
  if (READ_NAMES.some(wants)) {
    await prepared(async ({ api }) => {
      await api.createLedger("reads");
      await fill("reads", size, api);
      return readCases("reads", size, api);
    });
  }
  if (PAYMENT_LIST_NAMES.some(wants)) await prepared(({ api }) => paymentListCases(api));
  if (WEBHOOK_NAMES.some(wants)) await compareWebhooks(products, pairs, take);
}

interface Plan {
  /** Equal cases for both checkouts. Their paths may differ, because a cursor belongs to its server. */
  readonly cases: Both<readonly Case[]>;
  readonly pairs: number;
}

async function compareCases(
  [before, after]: Both<Checkout>,
  { cases, pairs }: Plan,
  take: Take,
): Promise<void> {
  const generator = new LoadGenerator();
  try {
    for (const [index, item] of cases[0].entries()) {
      const other = cases[1][index] ?? item;
      const slices = await inTurns(
        [() => slice(before, item, generator), () => slice(after, other, generator)],
        pairs,
      );
      take(compare({ name: item.name, clients: item.concurrency }, slices));
    }
  } finally {
    await generator.stop();
  }
}

async function slice(
  product: Checkout,
  { concurrency, load, transactions = 1 }: Case,
  generator: LoadGenerator,
): Promise<Slice> {
  const { url: origin, headers } = product.api;
  const cpuBefore = product.cpuMicros();
  const job = { origin, headers, concurrency, load, durationMs: SLICE_MS };
  const { requests, seconds } = await generator.run(job);
  const cpuAfter = product.cpuMicros();
  return {
    perSecond: (requests / seconds) * transactions,
    ...(cpuBefore === undefined || cpuAfter === undefined
      ? {}
      : { cpuMicros: (cpuAfter - cpuBefore) / requests }),
  };
}

/** Takes slices of both checkouts in alternating order, after one warm-up pair. */
async function inTurns<T>(
  [before, after]: Both<() => Promise<T>>,
  pairs: number,
): Promise<{ before: T; after: T }[]> {
  const taken: { before: T; after: T }[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    if (pair % 2 === 0) {
      const first = await before();
      taken.push({ before: first, after: await after() });
    } else {
      const first = await after();
      taken.push({ before: await before(), after: first });
    }
  }
  return taken.slice(1);
}

/** Compares the rate of webhooks in a burst, and the reciprocal of the time of single webhooks. */
async function compareWebhooks(
  [before, after]: Both<Checkout>,
  pairs: number,
  take: Take,
): Promise<void> {
  let ledgers = 0;
  const rates = async ({ api }: Checkout): Promise<Map<string, number>> =>
    new Map(
      (await measureWebhooks(api, `webhooks-${ledgers++}`)).map(
        ({ name, requestsPerSecond, p50Ms }) => [name, requestsPerSecond ?? MS / p50Ms],
      ),
    );
  takeRates(await inTurns([() => rates(before), () => rates(after)], pairs), take);
}

/** Compares reads inside a process, each checkout with its own engine and the same transactions. */
async function compareReadsInProcess(
  [before, after]: Both<string>,
  { size, pairs, reads = [] }: AgainstOptions,
  take: Take,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "florin-bench-"));
  const [beforeFile, afterFile] = [join(folder, "before.db"), join(folder, "after.db")];
  const ratesOf = async (root: string, file: string): Promise<Map<string, number>> => {
    // The process makes copies of the ledger beside it, and the next process needs new copies.
    for (const copy of ["-copy", "-audit"]) {
      for (const end of ["", "-wal", "-shm"]) rmSync(file + copy + end, { force: true });
    }
    const { figures, ...logs } = await runReads("measure", { root, file, size, reads });
    // All reads must be known to both checkouts: reads that come after many others are faster, because more of their code is compiled.
    if (reads.length > 0 && !figures.every(({ name }) => reads.some((it) => name.includes(it)))) {
      throw new OperatorError(
        `${root} does not know --reads, so that its reads cannot be compared.`,
      );
    }
    const rates = new Map(figures.map(({ name, medianMs }) => [name, MS / medianMs]));
    const [exported, imported] = COPY_NAMES;
    if (logs.exportedPerSecond !== undefined) rates.set(exported, logs.exportedPerSecond);
    if (logs.importedPerSecond !== undefined) rates.set(imported, logs.importedPerSecond);
    if (logs.verifiedPerSecond !== undefined) rates.set(VERIFICATION_NAME, logs.verifiedPerSecond);
    return rates;
  };
  try {
    await runReads("fill", { root: before, file: beforeFile, size });
    await runReads("fill", { root: after, file: afterFile, size });
    const taken = await inTurns(
      [() => ratesOf(before, beforeFile), () => ratesOf(after, afterFile)],
      pairs,
    );
    takeRates(taken, take);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Compares bulks inside a process, each checkout with its own engine. */
async function compareBulks(
  [before, after]: Both<string>,
  { size, pairs }: AgainstOptions,
  take: Take,
): Promise<void> {
  const ratesOf = async (root: string): Promise<Rates> =>
    new Map([[BULKS_NAME, (await runBulks(root, size)).enginePerSecond]]);
  takeRates(await inTurns([() => ratesOf(before), () => ratesOf(after)], pairs), take);
}

const MS = 1000;

type Rates = ReadonlyMap<string, number>;

/** Compares each rate that both checkouts have. */
function takeRates(taken: readonly { before: Rates; after: Rates }[], take: Take): void {
  for (const name of taken[0]?.before.keys() ?? []) {
    const pairs = taken.flatMap(({ before, after }): Pair[] => {
      const rates = [before.get(name), after.get(name)] as const;
      if (rates[0] === undefined || rates[1] === undefined) return [];
      return [{ before: { perSecond: rates[0] }, after: { perSecond: rates[1] } }];
    });
    if (pairs.length > 0) take(compare({ name }, pairs));
  }
}
