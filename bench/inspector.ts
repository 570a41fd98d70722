import { once } from "node:events";
import { z } from "zod";

/** The Worker's name in wrangler.toml. */
export const WORKER = "florin";

/** The inspector of one isolate of the runtime. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #calls = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #chunks: string[] = [];
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.#calls.values()) reject(new Error("the inspector has gone"));
    });
  }

  /** Connects to the isolate of a Worker. */
  static async open(url: string, worker: string): Promise<Inspector> {
    const response = await fetch(new URL("/json", url.replace(/^ws/, "http")));
    const targets = Targets.parse(await response.json());
    const target = targets.find(({ id }) => id.endsWith(`:${worker}`));
    if (target === undefined) {
      throw new Error(
        `the runtime has no ${worker}, but ${targets.map(({ id }) => id).join(", ")}`,
      );
    }
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    const inspector = new Inspector(socket);
    await once(socket, "open");
    return inspector;
  }

  /** The size of the heap, garbage included. */
  async heapUsage(): Promise<HeapUsage> {
    return HeapUsage.parse(await this.#call("Runtime.getHeapUsage"));
  }

  /** A snapshot of the heap after a garbage collection, as JSON. */
  async snapshot(): Promise<string> {
    this.#chunks = [];
    await this.#call("HeapProfiler.takeHeapSnapshot");
    return this.#chunks.splice(0).join("");
  }

  /** A CPU profile of the isolate during some work, with a sample each `intervalMicros` microseconds. */
  async profile(intervalMicros: number, work: () => Promise<void>): Promise<CpuProfile> {
    await this.#call("Profiler.enable");
    await this.#call("Profiler.setSamplingInterval", { interval: intervalMicros });
    await this.#call("Profiler.start");
    await work();
    return Profiled.parse(await this.#call("Profiler.stop")).profile;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params?: object): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(id, { resolve, reject });
    this.#socket.send(JSON.stringify({ id, method, params }));
    return promise;
  }

  #take(text: string): void {
    const message = Message.parse(JSON.parse(text));
    if ("id" in message) {
      this.#calls.get(message.id)?.resolve(message.result);
      this.#calls.delete(message.id);
    } else if (message.method === "HeapProfiler.addHeapSnapshotChunk") {
      this.#chunks.push(message.params?.chunk ?? "");
    }
  }
}

const HeapUsage = z.object({
  usedSize: z.number(),
  totalSize: z.number(),
  /** Memory outside of the heap that its objects hold, such as the bytes of buffers. */
  backingStorageSize: z.number(),
});
type HeapUsage = z.infer<typeof HeapUsage>;

export type CpuProfile = z.infer<typeof CpuProfile>;
/** The members of V8's CPU profiles that the bench uses. */
const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({
        functionName: z.string(),
        /** The URL of the script; empty for code outside of JavaScript. */
        url: z.string(),
        /** The line, counted from 0. */
        lineNumber: z.int(),
      }),
      children: z.array(z.int()).optional(),
    }),
  ),
  /** The ids of the nodes that ran at each sample. */
  samples: z.array(z.int()),
  /** The time from the sample before to each sample, in microseconds. */
  timeDeltas: z.array(z.number()),
});
const Profiled = z.object({ profile: CpuProfile });

const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const Message = z.union([
  // The runtime answers the call for a snapshot without a result.
  z.object({ id: z.int(), result: z.unknown().optional() }),
  z.object({ method: z.string(), params: z.object({ chunk: z.string().optional() }).optional() }),
]);
