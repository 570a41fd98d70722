import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { inProject } from "#scripts/lib/project.ts";
import type { LocalServer } from "#test/support/platform/server.ts";

/** A browser that opens the console of a server. */
export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #server: LocalServer;

  private constructor(browser: Browser, server: LocalServer) {
    this.#browser = browser;
    this.#server = server;
  }

  static async start(server: LocalServer): Promise<ConsoleBrowser> {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      headless: true,
      args: CHROMIUM_OPTIONS,
    });
    return new ConsoleBrowser(browser, server);
  }

  /** Opens a window in a new browser context, signed in by a link of the person; by default, of the operator. */
  async open(options: OpenOptions = {}): Promise<ConsoleWindow> {
    const { personId, ...browserOptions } = options;
    const context = await this.#browser.newContext({ locale: "en-US", ...browserOptions });
    const window = new ConsoleWindow(context, await context.newPage(), this.#server.url);
    await window.page.goto(await this.signInLink(personId));
    await window.page.getByRole("button", { name: /Sign in|Anmelden/ }).click();
    await window.page.waitForURL(({ pathname }) => !pathname.endsWith("/sign-in"));
    await window.page.getByRole("navigation").first().waitFor();
    return window;
  }

  /** A link that signs a person in once; by default, the operator. */
  async signInLink(personId?: string): Promise<string> {
    const users = await this.#server.json("/api/florin/v1/users");
    const { data } = users as { data: { id: string; email: string }[] }; // The schema of the answer has this shape.
    const operator = data.find(({ email }) => email === "operator@localhost")?.id;
    const made = await this.#server.json("/api/florin/v1/sign-in-links", {
      body: { personId: personId ?? operator },
    });
    return (made as { data: { url: string } }).data.url;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

type OpenOptions = NonNullable<Parameters<Browser["newContext"]>[0]> & {
  readonly personId?: string;
};

/** A window of the console. */
export class ConsoleWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the browser's console, and failures of scripts. */
  readonly complaints: string[] = [];
  readonly #origin: string;
  /** Requests without an answer yet. */
  readonly #open = new Set<Request>();

  constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context;
    this.page = page;
    this.#origin = origin;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().includes("/stream")) this.#open.add(request);
    });
    page.on("requestfinished", (request) => this.#open.delete(request));
    page.on("requestfailed", (request) => this.#open.delete(request));
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  /** Goes to a path of the console, such as `/ledgers`. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/console${path}`);
  }

  /** Goes to a path of the console as a link does, without a new start of the page. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate((url) => {
      const page = globalThis as unknown as PageGlobal;
      page.history.pushState({}, "", url);
      page.dispatchEvent(new page.PopStateEvent("popstate"));
    }, `/console${path}`);
    await this.settle();
  }

  /** Resolves once no request has been open for a moment. Streams of events stay open, and don't count. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_POLLS; quiet = this.#open.size === 0 ? quiet + 1 : 0) {
      await delay(POLL_MS);
    }
  }

  /** The serious findings of axe on the page, by their names. The browser's tools run axe, which the page's policy does not bind. */
  async findings(): Promise<string[]> {
    await this.page.evaluate(ANIMATIONS_END);
    await this.page.evaluate(readFileSync(inProject("node_modules/axe-core/axe.min.js"), "utf8"));
    const { violations } = await this.page.evaluate(() =>
      (globalThis as unknown as { axe: Axe }).axe.run(),
    );
    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  }

  /** The serious findings of axe on pages, in both schemes, by path. Pages without a finding are left out. */
  async findingsOn(paths: readonly string[]): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const colorScheme of ["light", "dark"] as const) {
      await this.page.emulateMedia({ colorScheme });
      for (const path of paths) {
        await this.go(path);
        await this.page.getByRole("heading", { level: 1 }).waitFor();
        await this.settle();
        const findings = await this.findings();
        if (findings.length > 0) found[`${path} (${colorScheme})`] = findings;
      }
    }
    return found;
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** Waits for animations that end: the colours of a window that fades in have too little contrast at first. */
const ANIMATIONS_END = `Promise.all(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)),
).then(() => undefined)`;
const POLL_MS = 25;
const QUIET_POLLS = 5;

/** What runs in the page uses of it. */
interface PageGlobal {
  readonly history: {
    readonly pushState: (state: object, unused: string, url: string) => void;
  };
  readonly dispatchEvent: (event: object) => boolean;
  readonly PopStateEvent: new (type: string) => object;
}

interface Axe {
  readonly run: () => Promise<{ violations: readonly Violation[] }>;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
