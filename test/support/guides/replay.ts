import type { Exchange } from "./recording.ts";
import { send } from "./send.ts";

/** How an answer looks without what differs each time: ids, times and cursors. */
export function outlineOf(text: string): unknown {
  return outline(parsed(text));
}

/** JSON, lines of JSON, or a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const lines = text.trim().split("\n");
    return lines.length > 1 && lines.every((line) => line.startsWith("{"))
      ? lines.map((line) => JSON.parse(line) as unknown)
      : text;
  }
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|^.{40,}$/s;

function outline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outline);
  if (typeof value === "string") {
    if (TIME.test(value)) return "a time";
    return ID.test(value) ? "an id" : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, outline(member)]));
}

/**
 * Sends what a program has sent to another server, which makes ids of its own: each id of a recorded answer is replaced in later requests
 * by the one that the new answer has in its place. Times in requests become those of now.
 */
export class Replay {
  readonly #url: string;
  readonly #token: string;
  readonly #ids = new Map<string, string>();

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Sends a request, and returns the status and the outline of its answer. */
  async send(exchange: Exchange): Promise<{ status: number; answer: unknown }> {
    const { method, headers, isAuthorized } = exchange;
    const isLog = headers["content-type"] === "application/octet-stream";
    const { status, text } = await send(`${this.#url}${this.#translated(exchange.path)}`, {
      method,
      headers: { ...headers, ...(isAuthorized ? { authorization: `Bearer ${this.#token}` } : {}) },
      body: isLog ? exchange.body : atPresent(this.#translated(exchange.body)),
    });
    this.#learn(parsed(exchange.answer), parsed(text));
    return { status, answer: outlineOf(text) };
  }

  #translated(text: string): string {
    let result = text;
    for (const [recorded, here] of this.#ids) {
      result = result.replaceAll(recorded, here);
      result = result.replaceAll(encodeURIComponent(recorded), encodeURIComponent(here));
    }
    return result;
  }

  /** Notes which id here stands for which one of the recording. */
  #learn(recorded: unknown, here: unknown): void {
    if (typeof recorded === "string" && typeof here === "string") {
      if (ID.test(recorded) && recorded !== here) this.#ids.set(recorded, here);
      return;
    }
    if (typeof recorded !== "object" || recorded === null) return;
    if (typeof here !== "object" || here === null) return;
    for (const [key, value] of Object.entries(recorded)) {
      this.#learn(value, (here as Record<string, unknown>)[key]);
    }
  }
}

const atPresent = (text: string): string =>
  text.replaceAll(
    /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g,
    new Date().toISOString(),
  );
