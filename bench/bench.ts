import { cpus } from "node:os";
import { type Comparison, comparisonHead, comparisonLine } from "./against/comparison.ts";
import { IN_PROCESS_NAME, measureAgainst } from "./against/measure.ts";
import { BenchApi } from "./api.ts";
import { buildBenchWorker } from "./build.ts";
import { BULKS_NAME, measureBulks } from "./bulks/measure.ts";
import {
  ACCOUNTS,
  ceilingCases,
  fill,
  LEDGERS,
  READ_NAMES,
  readCases,
  writeCases,
} from "./cases.ts";
import { measureDeliveries } from "./deliveries/measure.ts";
import { EXPRESSIONS_NAME, measureExpressions } from "./expressions.ts";
import { FAIR_READS_NAMES, type FairReads, measureFairReads } from "./fair-reads.ts";
import { LoadGenerator } from "./load/load-generator.ts";
import { type Bench, type Case, type Measurement, measure } from "./measure.ts";
import { type Options, readOptions } from "./options.ts";
import { PAYMENT_LIST_NAMES, paymentListCases } from "./payment-lists.ts";
import { measurePayments, PAYMENTS_NAMES } from "./payments/measure.ts";
import { profileLines } from "./profile/lines.ts";
import { measureProfiles, type ProfiledCase } from "./profile/measure.ts";
import { measureReads } from "./reads/measure.ts";
import { withServer } from "./server.ts";
import { shareLine, sharesHead } from "./shares/lines.ts";
import { measureShares, SHARE_NAMES } from "./shares/measure.ts";
import type { Share } from "./shares/share.ts";
import { measureStorage, type StoragePerTransaction } from "./storage.ts";
import {
  bulkLines,
  deliveryLines,
  expressionLines,
  fairReadsLines,
  paymentLines,
  readLines,
  storageLines,
  tableHead,
  tableLine,
} from "./table.ts";
import { measureWebhooks, WEBHOOK_NAMES } from "./webhooks.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { run } from "#scripts/lib/main.ts";

const STORAGE_NAME = "storage";
const DELIVERIES_NAME = "deliveries";
const NAMES = [
  ...new Set([...ceilingCases(), ...writeCases()].map(({ name }) => name)),
  ...READ_NAMES,
  ...PAYMENT_LIST_NAMES,
  ...WEBHOOK_NAMES,
  ...FAIR_READS_NAMES,
  ...SHARE_NAMES,
  STORAGE_NAME,
  IN_PROCESS_NAME,
  BULKS_NAME,
  DELIVERIES_NAME,
  ...PAYMENTS_NAMES,
  EXPRESSIONS_NAME,
];

/** `npm run bench` measures the ceilings of this machine, and the rates that Florin reaches. */
async function bench(): Promise<void> {
  const options = readOptions(process.argv.slice(2), NAMES);
  const say = options.json ? () => undefined : (text: string) => process.stdout.write(`${text}\n`);
  const machine = describeMachine();
  if (options.profile) {
    await benchProfiles(options);
    return;
  }
  if (options.against !== undefined) {
    await benchAgainst(options, options.against);
    return;
  }
  say(`${machine}\n\n${tableHead()}`);
  const measurements: Measurement[] = [];
  const take = (measurement: Measurement): void => {
    measurements.push(measurement);
    say(tableLine(measurement));
  };
  await measureCeilings(options, take);
  await measureProduct(options, take);
  const fairReads = await fairReadsOf(options);
  for (const line of fairReads?.measurements ?? []) take(line);
  const storage = await storageOf(options);
  const shares = await sharesOf(options, say);
  const reads = options.wants(IN_PROCESS_NAME) ? await measureReads(options) : undefined;
  const bulks = options.wants(BULKS_NAME) ? measureBulks(options.size) : undefined;
  const deliveries = options.wants(DELIVERIES_NAME) ? measureDeliveries() : undefined;
  const payments = PAYMENTS_NAMES.some(options.wants)
    ? await measurePayments(options.wants)
    : undefined;
  const expressions = options.wants(EXPRESSIONS_NAME) ? measureExpressions() : undefined;
  if (options.json) {
    const report = {
      machine,
      size: options.size,
      measurements,
      fairReads,
      storage,
      shares,
      reads,
      bulks,
      deliveries,
      payments,
      expressions,
    };
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    return;
  }
  if (fairReads !== undefined) say(`\n${fairReadsLines(fairReads)}`);
  if (storage !== undefined) say(`\n${storageLines(storage)}`);
  if (reads !== undefined) say(`\n${readLines(reads)}`);
  if (bulks !== undefined) say(`\n${bulkLines(bulks)}`);
  if (deliveries !== undefined) say(`\n${deliveryLines(deliveries)}`);
  if (payments !== undefined) say(`\n${paymentLines(payments)}`);
  if (expressions !== undefined) say(`\n${expressionLines(expressions)}`);
}

/** Runs `--against`, which only prints ratios between two checkouts. */
async function benchAgainst(options: Options, against: string): Promise<void> {
  const say = options.json ? () => undefined : (text: string) => process.stdout.write(`${text}\n`);
  const comparisons: Comparison[] = [];
  say(`${describeMachine()}\n\n${comparisonHead()}`);
  await measureAgainst({ ...options, against }, (comparison) => {
    comparisons.push(comparison);
    say(comparisonLine(comparison));
  });
  if (options.json) process.stdout.write(`${JSON.stringify(comparisons, undefined, 2)}\n`);
}

/** Runs `--profile`, which only prints the distribution of a request's time. */
async function benchProfiles(options: Options): Promise<void> {
  const say = options.json ? () => undefined : (text: string) => process.stdout.write(`${text}\n`);
  const profiles: ProfiledCase[] = [];
  say(describeMachine());
  await measureProfiles(options, (profiled) => {
    profiles.push(profiled);
    say(`\n${profileLines(profiled)}`);
  });
  if (options.json) process.stdout.write(`${JSON.stringify(profiles, undefined, 2)}\n`);
}

const describeMachine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown processor"}, Node ${process.version}`;

type Take = (measurement: Measurement) => void;

async function measureCeilings({ wants }: Options, take: Take): Promise<void> {
  const cases = ceilingCases().filter(({ name }) => wants(name));
  if (cases.length === 0) return;
  await withServer(await buildBenchWorker("ceilings"), async (server) => {
    await measureAll(cases, { server, api: new BenchApi(server.url, {}) }, take);
  });
}

async function measureProduct({ wants, size }: Options, take: Take): Promise<void> {
  const writes = writeCases().filter(({ name }) => wants(name));
  const wantsReads = READ_NAMES.some(wants);
  const wantsPayments = PAYMENT_LIST_NAMES.some(wants);
  const wantsWebhooks = WEBHOOK_NAMES.some(wants);
  if (writes.length === 0 && !wantsReads && !wantsPayments && !wantsWebhooks) return;
  await withServer(await buildWorker(), async (server) => {
    const api = new BenchApi(server.url, await server.authorize());
    if (writes.length > 0) {
      for (const ledger of LEDGERS) await api.createLedger(ledger);
      await fill("random", ACCOUNTS, api);
      await measureAll(writes, { server, api }, take);
    }
    if (wantsReads) {
      await api.createLedger("reads");
      await fill("reads", size, api);
      const reads = await readCases("reads", size, api);
      await measureAll(
        reads.filter(({ name }) => wants(name)),
        { server, api },
        take,
      );
    }
    if (wantsPayments) {
      const lists = (await paymentListCases(api)).filter(({ name }) => wants(name));
      await measureAll(lists, { server, api }, take);
    }
    if (wantsWebhooks) for (const line of await measureWebhooks(api)) take(line);
  });
}

async function fairReadsOf({ wants, size }: Options): Promise<FairReads | undefined> {
  if (!FAIR_READS_NAMES.some(wants)) return undefined;
  return withServer(await buildWorker(), async (server) =>
    measureFairReads(size, new BenchApi(server.url, await server.authorize())),
  );
}

async function storageOf({ wants, size }: Options): Promise<StoragePerTransaction | undefined> {
  if (!wants(STORAGE_NAME)) return undefined;
  return withServer(await buildBenchWorker("counting"), async (server) =>
    measureStorage(size, new BenchApi(server.url, await server.authorize())),
  );
}

async function measureAll(
  cases: readonly Case[],
  target: Omit<Bench, "generator">,
  take: Take,
): Promise<void> {
  const generator = new LoadGenerator();
  try {
    for (const item of cases) take(await measure(item, { ...target, generator }));
  } finally {
    await generator.stop();
  }
}

async function sharesOf({ wants, size }: Options, say: (text: string) => void): Promise<Share[]> {
  const shares: Share[] = [];
  if (!SHARE_NAMES.some(wants)) return shares;
  const scripts = { product: await buildWorker(), ceilings: await buildBenchWorker("ceilings") };
  say(`\n${sharesHead()}`);
  await measureShares({ wants, size, scripts }, (share) => {
    shares.push(share);
    say(shareLine(share));
  });
  return shares;
}

await run(bench);
