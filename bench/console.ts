import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BenchApi } from "./api.ts";
import { fillBooks, LEDGER } from "./console/books.ts";
import { VISITS } from "./console/visits.ts";
import { MeasuringBrowser, type PageFigures } from "./console/window.ts";
import { percentiles } from "./load/percentiles.ts";
import { withServer } from "./server.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { run } from "#scripts/lib/main.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const SIZE_STANDARD = 100_000;
const WRITES_PER_SECOND = 500;
const BULK_SIZE = 50;
const SAMPLES_PER_MINUTE = 2;

/**
 * `npm run bench:console` opens the console's lists in Chromium, as a person who has signed in, on a ledger with `--size` transactions, and
 * prints what each page took, and the load of the machine.
 * `--minutes N` then leaves the list of transactions open for so long beside 500 writes a second, and prints the page's heap.
 */
async function benchConsole(): Promise<void> {
  const { size, minutes } = readOptions(process.argv.slice(2));
  await withServer(await buildWorker(), async (server) => {
    await fillBooks(new BenchApi(server.url, await server.authorize()), size);
    const browser = await MeasuringBrowser.start(server.url, await server.signInLink());
    try {
      say(`${size} transactions, load ${loadavg()[0]?.toFixed(1)}\n\n${HEAD}`);
      for (const visit of VISITS) say(lineOf(await browser.measure(visit)));
      say(`\nload ${loadavg()[0]?.toFixed(1)}`);
      if (minutes > 0) {
        const api = new BenchApi(server.url, await server.authorize()); // The first token may have ended.
        await watchHeap(browser, { api, minutes });
      }
    } finally {
      await browser.close();
    }
  });
}

/** Prints the heap of a page that follows the ledger while others write. */
async function watchHeap(
  browser: MeasuringBrowser,
  { api, minutes }: { readonly api: BenchApi; readonly minutes: number },
): Promise<void> {
  const page = await browser.open();
  await page.goto(`${api.url}/console/ledgers/${LEDGER}/transactions`);
  await page.getByRole("gridcell").first().waitFor();
  const ended = new AbortController();
  const writing = writeUntil(ended.signal, api);
  say("\nminute   heap MB");
  for (let sample = 0; sample <= minutes * SAMPLES_PER_MINUTE; sample += 1) {
    const megabytes = (await browser.heapBytes(page)) / 1_000_000;
    say(
      `${(sample / SAMPLES_PER_MINUTE).toFixed(1).padStart(6)} ${megabytes.toFixed(1).padStart(9)}`,
    );
    await delay(60_000 / SAMPLES_PER_MINUTE);
  }
  ended.abort();
  await writing;
}

/** Commits transactions at a steady rate. */
async function writeUntil(ended: AbortSignal, api: BenchApi): Promise<void> {
  const startedMs = performance.now();
  const element = {
    action: "CREATE_TRANSACTION",
    data: {
      postings: [{ source: "world", destination: "bank:live", amount: 1, asset: "EUR/2" }],
    },
  };
  const body = JSON.stringify(Array.from({ length: BULK_SIZE }, () => element));
  for (let sent = 0; !ended.aborted; sent += BULK_SIZE) {
    await api.send("POST", `/api/ledger/v2/${LEDGER}/_bulk`, body);
    const aheadMs = startedMs + (sent * 1000) / WRITES_PER_SECOND - performance.now();
    if (aheadMs > 0) await delay(aheadMs);
  }
}

const HEAD =
  "page                                      ready ms       between   requests   scripts kB   request ms   input ms";

const lineOf = ({
  path,
  readyMs,
  requests,
  scriptBytes,
  slowestRequestMs,
  interactionMs,
}: PageFigures): string =>
  [
    path.padEnd(38),
    percentiles(readyMs).p50Ms.toFixed(0).padStart(12),
    `${readyMs[0]?.toFixed(0)}–${readyMs.at(-1)?.toFixed(0)}`.padStart(14),
    String(requests).padStart(11),
    (scriptBytes / 1000).toFixed(0).padStart(13),
    slowestRequestMs.toFixed(0).padStart(13),
    interactionMs.toFixed(0).padStart(11),
  ].join("");

function readOptions(args: readonly string[]): { readonly size: number; readonly minutes: number } {
  const { values } = parseArgs({
    args: [...args],
    options: { size: { type: "string" }, minutes: { type: "string" } },
  });
  return {
    size: readNumber("size", values.size, SIZE_STANDARD),
    minutes: readNumber("minutes", values.minutes, 0),
  };
}

function readNumber(name: string, text: string | undefined, standard: number): number {
  const value = text === undefined ? standard : Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new OperatorError(`--${name} takes a whole number, not ${text}.`);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

await run(benchConsole);
