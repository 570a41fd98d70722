import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { eventually } from "./eventually.ts";

/**
 * Removes an object from memory, but keeps its storage. The eviction is repeated if the runtime gives up, as it does on a busy
 * machine when requests to the object take too long.
 */
export const evict = (object: DurableObjectStub): Promise<void> =>
  eventually(() => evictDurableObject(object));

/**
 * Ends an object with all that runs in it, as a crash does, and keeps its storage. An eviction would wait for the answers that the object
 * owes, and for work that never rests.
 */
export const endObject = (object: DurableObjectStub): Promise<void> =>
  runInDurableObject(object, (_object, state) => state.abort("a test ends it")).catch(
    () => undefined,
  );
