import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { StorageWatch } from "#platform/objects/storage-watch.ts";

/**
 * Ends the time for which the isolate takes storage for full. A file of tests that has filled storage calls it at its end, because the next
 * file may run in the same isolate.
 */
export async function forgetFullStorage(): Promise<void> {
  const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  try {
    await StorageWatch.from(env).check(async () => undefined);
  } finally {
    later.mockRestore();
  }
}
