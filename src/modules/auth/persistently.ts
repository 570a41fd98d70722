/** The waits between attempts, in milliseconds: a database that is being moved answers again within a second. */
const WAITS_MS = [50, 200, 750] as const;

/**
 * Reads what an isolate cannot work without, a few times if need be. Throws the last error. It is for an isolate that has nothing yet:
 * one that has read before goes on with what it knows, and reads later.
 */
export async function persistently<T>(read: () => Promise<T>): Promise<T> {
  for (const waitMs of WAITS_MS) {
    try {
      return await read();
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, waitMs);
      });
    }
  }
  return read();
}
