import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import {
  bodyOf,
  fakeId,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  gone,
  NamedBody,
} from "./fake-answer.ts";
import { FakeDatabases, isSelect, QueryBody } from "./fake-databases.ts";
import { FakeScripts } from "./fake-scripts.ts";

/** A request that the fake has got. */
export interface RecordedCall {
  readonly method: string;
  /** The path below the account, without query. */
  readonly path: string;
  readonly body: string;
}

/** Where a connection breaks: in place of the work of a request, or after it and before the answer. */
export interface Breakage {
  /** The number of the changing request, from 0, or its path. */
  readonly at: number | RegExp;
  readonly when: "before" | "after";
}

const QueueBody = z.object({ queue_name: z.string() });
const ConsumerBody = z.object({
  script_name: z.string(),
  settings: z.unknown(),
  dead_letter_queue: z.string().optional(),
});
const WorkflowBody = z.object({
  script_name: z.string(),
  class_name: z.string(),
  jurisdiction: z.string().optional(),
});

/**
 * Cloudflare's API for the account `acc` on loopback, as far as `npm run deploy` and wrangler use it. It records all requests, and breaks
 * connections where a test wants it.
 */
export class FakeCloudflare {
  readonly calls: RecordedCall[] = [];
  breakage: Breakage | undefined;
  /** Whether buckets have objects, so that they cannot be deleted. */
  hasObjects = false;
  readonly scripts = new FakeScripts();
  readonly databases = new FakeDatabases();
  readonly #queues = new Map<string, { id: string; consumers: z.output<typeof ConsumerBody>[] }>();
  readonly #buckets = new Set<string>();
  readonly #workflows = new Map<string, object>();
  readonly #server: Server;
  #changeCount = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<FakeCloudflare> {
    const fake = new FakeCloudflare();
    await new Promise<void>((resolve) => {
      fake.#server.listen(0, "127.0.0.1", resolve);
    });
    return fake;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
    this.databases.close();
  }

  /** The base URL of the API. */
  get base(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the fake has stopped");
    return `http://127.0.0.1:${address.port}/client/v4`;
  }

  /** The requests that change something: all but reads, to which queries belong that only select. */
  get changes(): RecordedCall[] {
    return this.calls.filter((call) => isChange(call));
  }

  /** Forgets the requests, and counts those that change something from 0. */
  forget(): void {
    this.calls.length = 0;
    this.#changeCount = 0;
  }

  /** What stands in the account, without ids and ports, which differ from run to run. */
  state(): unknown {
    const state = {
      databases: this.databases.state(),
      queues: Object.fromEntries(
        [...this.#queues].map(([name, { consumers }]) => [name, consumers]),
      ),
      buckets: [...this.#buckets],
      workflows: Object.fromEntries(this.#workflows),
      scripts: this.scripts.state(),
    };
    const text = this.databases.ids.reduce(
      (rest, id) => rest.replaceAll(id, "id"),
      JSON.stringify(state).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "url"),
    );
    return JSON.parse(text) as unknown;
  }

  readonly #routes: readonly FakeRoute[] = [
    [/^GET \/accounts$/, () => ({ result: [{ id: "acc", name: "Acme" }] })],
    [/^GET workers\/subdomain$/, () => ({ result: { subdomain: "acme" } })],
    [/^GET queues$/, (_, { query }) => ({ result: this.#queuesNamed(query.getAll("name")) })],
    [/^POST queues$/, (_, { body }) => this.#createQueue(body)],
    [/^DELETE queues\/([\w-]+)$/, ([, id = ""]) => this.#deleteQueue(id)],
    [/^POST queues\/([\w-]+)\/consumers$/, ([, id = ""], { body }) => this.#consume(id, body)],
    [/^PUT queues\/([\w-]+)\/consumers\/\S+$/, ([, id = ""], { body }) => this.#consume(id, body)],
    [/^GET r2\/buckets\/([\w-]+)$/, ([, name = ""], call) => this.#readBucket(name, call)],
    [/^POST r2\/buckets$/, (_, call) => this.#createBucket(call)],
    [/^DELETE r2\/buckets\/([\w-]+)$/, ([, name = ""], call) => this.#deleteBucket(name, call)],
    [/^GET workflows\/([\w-]+)$/, ([, name = ""]) => this.#readWorkflow(name)],
    [/^PUT workflows\/([\w-]+)$/, ([, name = ""], { body }) => this.#putWorkflow(name, body)],
    [/^DELETE workflows\/([\w-]+)$/, ([, name = ""]) => this.#deleteWorkflow(name)],
    ...this.databases.routes,
    ...this.scripts.routes,
  ];

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request's chunks are buffers
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", "http://fake");
    const method = request.method ?? "GET";
    const path = url.pathname.replace("/client/v4", "").replace("/accounts/acc/", "");
    const call = { method, path, body: body.toString() };
    this.calls.push(call);
    const breaks = isChange(call) && this.#breaks(path);
    if (breaks && this.breakage?.when === "before") return void response.destroy();
    const { headers } = request;
    const answer = await this.#answer(`${method} ${path}`, {
      query: url.searchParams,
      headers,
      body,
    });
    if (breaks) return void response.destroy();
    sendAnswer(response, answer);
  }

  #breaks(path: string): boolean {
    const at = this.breakage?.at;
    const count = this.#changeCount++;
    return at instanceof RegExp ? at.test(path) : at === count;
  }

  async #answer(line: string, call: FakeCall): Promise<FakeAnswer> {
    for (const [pattern, answer] of this.#routes) {
      const match = pattern.exec(line);
      if (match !== null) return answer(match, call);
    }
    throw new Error(`the fake of Cloudflare's API does not know ${line}`);
  }

  #queuesNamed(names: readonly string[]) {
    return [...this.#queues]
      .filter(([name]) => names.length === 0 || names.includes(name))
      .map(([name, { id, consumers }]) => ({
        queue_id: id,
        queue_name: name,
        consumers: consumers.map((consumer) => ({ ...consumer, script: consumer.script_name })),
      }));
  }

  #createQueue(body: Buffer): FakeAnswer {
    const { queue_name: name } = bodyOf(QueueBody, body);
    if (this.#queues.has(name)) return { status: 409, code: 11_009 };
    const id = fakeId();
    this.#queues.set(name, { id, consumers: [] });
    return { result: { queue_id: id, queue_name: name } };
  }

  #deleteQueue(id: string): FakeAnswer {
    const found = [...this.#queues].find(([, queue]) => queue.id === id);
    if (found === undefined) return gone(11_000);
    this.#queues.delete(found[0]);
    return { result: null };
  }

  /** A queue has one consumer. */
  #consume(id: string, body: Buffer): FakeAnswer {
    const queue = [...this.#queues.values()].find((known) => known.id === id);
    if (queue === undefined) return gone(11_000);
    queue.consumers.splice(0, 1, bodyOf(ConsumerBody, body));
    return { result: {} };
  }

  #readBucket(name: string, call: FakeCall): FakeAnswer {
    return this.#buckets.has(placed(name, call)) ? { result: { name } } : gone(10_006);
  }

  #createBucket(call: FakeCall): FakeAnswer {
    const bucket = placed(bodyOf(NamedBody, call.body).name, call);
    if (this.#buckets.has(bucket)) return { status: 409, code: 10_004 };
    this.#buckets.add(bucket);
    return { result: {} };
  }

  #deleteBucket(name: string, call: FakeCall): FakeAnswer {
    if (this.hasObjects) return { status: 409, code: 10_008 };
    return this.#buckets.delete(placed(name, call)) ? { result: {} } : gone(10_006);
  }

  #readWorkflow(name: string): FakeAnswer {
    const workflow = this.#workflows.get(name);
    return workflow === undefined ? gone(10_200) : { result: { name, ...workflow } };
  }

  #putWorkflow(name: string, body: Buffer): FakeAnswer {
    this.#workflows.set(name, bodyOf(WorkflowBody, body));
    return { result: { name } };
  }

  #deleteWorkflow(name: string): FakeAnswer {
    return this.#workflows.delete(name) ? { result: {} } : gone(10_200);
  }
}

/** A bucket's name, and its jurisdiction if it has one. */
const placed = (name: string, { headers }: FakeCall): string => {
  const jurisdiction = headers["cf-r2-jurisdiction"];
  return jurisdiction === undefined ? name : `${name} in ${String(jurisdiction)}`;
};

function isChange({ method, path, body }: RecordedCall): boolean {
  if (method === "GET") return false;
  return !path.endsWith("/query") || !isSelect(bodyOf(QueryBody, Buffer.from(body)).sql);
}

function sendAnswer(response: ServerResponse, answer: FakeAnswer): void {
  response.setHeader("content-type", "application/json");
  const isOk = "result" in answer;
  if (!isOk) response.statusCode = answer.status;
  const envelope = {
    success: isOk,
    errors: isOk ? [] : [{ code: answer.code, message: `error ${answer.code}` }],
    messages: [],
    result: isOk ? answer.result : null,
    result_info: { page: 1, per_page: 100, total_pages: 1 },
  };
  response.end(JSON.stringify(envelope));
}
