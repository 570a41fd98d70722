import { evictDurableObject } from "cloudflare:test";
import { eventually } from "./eventually.ts";

/**
 * Takes an object out of memory, but keeps what it stores. It tries again when the runtime gives up, as it does on a
 * busy machine if requests to the object take too long.
 */
export const evict = (object: DurableObjectStub): Promise<void> =>
  eventually(() => evictDurableObject(object));
