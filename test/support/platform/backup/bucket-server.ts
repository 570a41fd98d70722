import { createServer } from "node:http";
import { listenAsApi } from "./log-server.ts";
import type { MemoryBucket } from "./memory-bucket.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Api } from "#scripts/lib/api.ts";

const BASE = "/api/florin/v1/backup";
/** Files of a page. */
const PAGE = 4;

/** A server that gives the files of a bucket, and the states of its own backups one after the other. */
export class BucketServer {
  /** The keys that were read. */
  readonly read: string[] = [];
  /** Keys whose next answer breaks off in the middle. */
  readonly broken = new Set<string>();
  /** Keys whose next answer lacks its end, and does not say so. */
  readonly short = new Set<string>();
  /** The answers to looks at the backups; the last one is given again. */
  readonly states: object[] = [{}];
  readonly #bucket: MemoryBucket;
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://loopback");
    const data = (value: unknown) => void response.end(stringifyJson({ data: value }));
    switch (`${request.method} ${url.pathname.slice(BASE.length)}`) {
      case "POST ":
        return data({ id: "backup" });
      case "GET /bucket":
      case "POST /bucket":
        return data(this.states.length > 1 ? this.states.shift() : this.states[0]);
      case "GET /bucket/files":
        return data(this.#page(Number(url.searchParams.get("cursor") ?? 0)));
      default: {
        const key = url.searchParams.get("key") ?? "";
        const bytes = Buffer.from(this.#bucket.files.get(key)?.bytes ?? []);
        this.read.push(key);
        if (this.short.delete(key)) return void response.end(bytes.subarray(0, 3));
        if (!this.broken.delete(key)) return void response.end(bytes);
        response.writeHead(200, { "content-length": bytes.length });
        response.write(bytes.subarray(0, 3), () => response.destroy());
      }
    }
  });

  constructor(bucket: MemoryBucket) {
    this.#bucket = bucket;
  }

  open(): Promise<Api> {
    return listenAsApi(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #page(from: number) {
    const all = [...this.#bucket.files]
      .map(([key, { bytes }]) => ({ key, bytes: bytes.length }))
      .filter(({ key }) => key !== "owner.json")
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const files = all.slice(from, from + PAGE);
    return from + PAGE < all.length ? { files, next: String(from + PAGE) } : { files };
  }
}
