import { evictDurableObject } from "cloudflare:test";
import { eventually } from "./eventually.ts";

/**
 * Takes an object out of memory; what it stores stays. The runtime gives up where requests to the object take longer than
 * it likes to wait, as they do on a busy machine.
 */
export const evict = (object: DurableObjectStub): Promise<void> =>
  eventually(() => evictDurableObject(object));
