import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { programOf } from "./pages.ts";
import { send } from "./send.ts";
import { inProject } from "#scripts/lib/project.ts";

/** A request of a program, and its answer. */
export interface Exchange {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The headers that say something about the request: not those of the connection, and not the token itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isAuthorized: boolean;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** What a program of a guide has sent. */
export interface Recording {
  /** The SHA-256 of the program, so that nobody changes it without a new recording. */
  readonly program: string;
  readonly exchanges: readonly Exchange[];
}

const fileOf = (guide: string, language: string): string =>
  inProject(`test/fixtures/guides/${guide}.${language}.json`);

export const hashOf = (guide: string, language: string): string =>
  createHash("sha256").update(programOf(guide, language)).digest("hex");

/** The recording of a guide's program; undefined if there is none. */
export function findRecording(guide: string, language: string): Recording | undefined {
  const file = fileOf(guide, language);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")) as Recording; // `writeRecording` has written it.
}

export function writeRecording(guide: string, language: string, all: readonly Exchange[]): void {
  const recording: Recording = {
    program: hashOf(guide, language),
    exchanges: withoutRepeated(all),
  };
  writeFileSync(fileOf(guide, language), `${JSON.stringify(recording, null, 2)}\n`);
}

/** Leaves out all but the last one of equal reads in a row, by which a program waits. */
const withoutRepeated = (all: readonly Exchange[]): Exchange[] =>
  all.filter((exchange, index) => {
    const next = all[index + 1];
    const isRepeated =
      exchange.method === "GET" && next?.method === "GET" && next.path === exchange.path;
    return !isRepeated || next.body !== exchange.body;
  });

const TOKEN_PATH = "/api/auth/oauth/token";
const KEPT_HEADERS = ["accept", "content-type", "idempotency-key"];

/** A server between a program and Florin, which notes what the two say to each other, but for tokens. */
export class RecordingProxy {
  readonly exchanges: Exchange[] = [];
  readonly #server: Server;
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      void this.#pass(request, response).catch((error: unknown) => {
        response.writeHead(502).end(String(error));
      });
    });
  }

  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // It listens on a port.
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/" } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // Without an encoding, chunks are buffers.
    const body = Buffer.concat(chunks).toString();
    const headers = headersOf(request);
    const { authorization } = request.headers;
    // The client of HTTP sends no body with GET, where lists have their filter in the query or in the body.
    const answer = await send(`${this.#target}${path}`, {
      method,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      body,
    });
    if (path !== TOKEN_PATH) {
      const isAuthorized = authorization !== undefined;
      const { status, text } = answer;
      this.exchanges.push({ method, path, headers, isAuthorized, body, status, answer: text });
    }
    response.writeHead(answer.status, answer.headers).end(answer.text);
  }
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
