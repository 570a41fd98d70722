/** The waits between attempts, in milliseconds. A database that is being moved answers again within a second. */
const WAITS_MS = [50, 200, 750] as const;

/**
 * Repeats a read that an isolate cannot work without. Throws the last error. It is for isolates that have read nothing yet:
 * others go on with what they know, and read again later.
 */
export async function retryFirstRead<T>(read: () => Promise<T>): Promise<T> {
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
