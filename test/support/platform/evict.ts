import { evictDurableObject } from "cloudflare:test";
import { eventually } from "./eventually.ts";

/**
 * Removes an object from memory, but keeps its storage. The eviction is repeated if the runtime gives up, as it does on a busy
 * machine when requests to the object take too long.
 */
export const evict = (object: DurableObjectStub): Promise<void> =>
  eventually(() => evictDurableObject(object));
