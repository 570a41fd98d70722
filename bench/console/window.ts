import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";

/** What a page of the console took. */
export interface PageFigures {
  readonly path: string;
  /** Times from the navigation to the first row, in milliseconds, in ascending order. */
  readonly readyMs: readonly number[];
  /** Files and requests of the API until then. */
  readonly requests: number;
  /** Compressed bytes of scripts that the page loaded, of an empty cache. */
  readonly scriptBytes: number;
  /** The slowest request of the API, in milliseconds. */
  readonly slowestRequestMs: number;
  /** The longest time from a key or a click to the next paint (Interaction to Next Paint), in milliseconds. */
  readonly interactionMs: number;
}

/** A page, and what a person does on it. */
export interface Visit {
  readonly path: string;
  /** The selector of what shows that the page is there. */
  readonly ready: string;
  readonly act: (page: Page) => Promise<void>;
}

/** How often a page is opened. Its time is the median. */
const OPENINGS = 5;
/** Time in which a new window loads the browser's own pages, in milliseconds. They would take a processor of the page that is measured. */
const WINDOW_MS = 1500;

/**
 * A browser that measures pages of the console, each in a new context without a cache. The session's cookie of a person who has signed in
 * is in all contexts, so that a page signs in silently, as it does for people.
 */
export class MeasuringBrowser {
  readonly #browser: Browser;
  readonly #origin: string;
  readonly #signedIn: SignedIn;

  private constructor(browser: Browser, origin: string, signedIn: SignedIn) {
    this.#browser = browser;
    this.#origin = origin;
    this.#signedIn = signedIn;
  }

  static async start(origin: string, signInLink: string): Promise<MeasuringBrowser> {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      headless: true,
      args: CHROMIUM_OPTIONS,
    });
    return new MeasuringBrowser(browser, origin, await signIn(browser, signInLink));
  }

  async measure(visit: Visit): Promise<PageFigures> {
    const { path, act } = visit;
    const readyMs: number[] = [];
    for (let opening = 1; ; opening += 1) {
      const page = await this.open();
      try {
        readyMs.push(await this.#arrive(page, visit));
        if (opening < OPENINGS) continue;
        const { requests } = await page.evaluate(readPage);
        await act(page);
        await settle(page);
        const { scripts, ...figures } = await page.evaluate(readPage);
        const scriptBytes = await compressedBytes(scripts);
        return { path, ...figures, readyMs: readyMs.toSorted(byNumber), requests, scriptBytes };
      } finally {
        await page.context().close();
      }
    }
  }

  /** Goes to a page. Returns the time until it is there, in milliseconds. */
  async #arrive(page: Page, { path, ready }: Visit): Promise<number> {
    const startedMs = performance.now();
    await page.goto(`${this.#origin}/console${path}`);
    await page.locator(ready).first().waitFor();
    return performance.now() - startedMs;
  }

  /** A page in a context of its own. */
  async open(): Promise<Page> {
    const context = await this.#browser.newContext({
      locale: "en-US",
      storageState: this.#signedIn,
    });
    const page = await context.newPage();
    await page.addInitScript(observe);
    await delay(WINDOW_MS);
    return page;
  }

  /** The used heap of a page after a collection, in bytes. */
  async heapBytes(page: Page): Promise<number> {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    await session.detach();
    return usedSize;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Signs in by a link. Returns what the browser keeps of it. */
async function signIn(browser: Browser, link: string): Promise<SignedIn> {
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").first().waitFor();
  const signedIn = await context.storageState();
  await context.close();
  return signedIn;
}

const byNumber = (one: number, other: number): number => one - other;

/** Resolves once no request has ended for a moment. A page's network is never idle, because it follows a stream of its ledger. */
export async function settle(page: Page): Promise<void> {
  for (let [before, quiet] = [-1, 0]; quiet < QUIET_LOOKS;) {
    const ended = await page.evaluate(
      () => (globalThis as unknown as PageGlobal).performance.getEntriesByType("resource").length,
    );
    quiet = ended === before ? quiet + 1 : 0;
    before = ended;
    await delay(LOOK_MS);
  }
}

const LOOK_MS = 100;
const QUIET_LOOKS = 5;

/** What the functions that run in the page use of it. The project's types are those of Workers and Node, which have no page. */
interface PageGlobal {
  longestMs: number;
  readonly PerformanceObserver: new (listener: (list: EventList) => void) => {
    readonly observe: (options: { type: string; durationThreshold: number }) => void;
  };
  readonly performance: {
    readonly getEntriesByType: (type: "resource") => readonly Resource[];
    readonly setResourceTimingBufferSize: (size: number) => void;
  };
}

interface EventList {
  readonly getEntries: () => readonly { readonly duration: number }[];
}

interface Resource {
  readonly name: string;
  readonly duration: number;
}

/** Runs in the page before its scripts: takes the longest duration of the browser's event timings, and keeps all requests. */
function observe(): void {
  const page = globalThis as unknown as PageGlobal;
  page.longestMs = 0;
  page.performance.setResourceTimingBufferSize(100_000);
  const observer = new page.PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      page.longestMs = Math.max(page.longestMs, duration);
  });
  observer.observe({ type: "event", durationThreshold: 16 });
}

/** Runs in the page. */
function readPage() {
  const page = globalThis as unknown as PageGlobal;
  const resources = page.performance.getEntriesByType("resource");
  return {
    interactionMs: page.longestMs,
    requests: resources.length,
    scripts: resources.map(({ name }) => name).filter((name) => name.endsWith(".js")),
    slowestRequestMs: Math.max(
      0,
      ...resources
        .filter(({ name }) => new URL(name).pathname.startsWith("/api/"))
        .map(({ duration }) => duration),
    ),
  };
}

/** The sum of the files' compressed sizes, in bytes. A local server sends files as they are. */
async function compressedBytes(urls: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    urls.map(async (url) => gzipSync(await (await fetch(url)).bytes()).byteLength),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
