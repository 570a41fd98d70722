import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { sdkCalls } from "./sdk/sdk-calls.ts";

// The setup of each contract test file. The files of a worker share its runtime and its modules, but no data: each file starts
// with a migrated database, and without objects and spies. `test/support/payments/client-coverage.ts` gets the calls of a
// worker through the official client.

/** Empties the storage except for the signing keys, because tokens and caches of the Worker outlive a file. */
async function resetAllButKeys(): Promise<void> {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const { results: keys } = await env.DB.prepare("SELECT * FROM auth_signing_keys").all();
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  for (const key of keys) {
    const names = Object.keys(key);
    const marks = names.map(() => "?").join();
    await env.DB.prepare(`INSERT INTO auth_signing_keys (${names.join()}) VALUES (${marks})`)
      .bind(...Object.values(key))
      .run();
  }
}

vi.restoreAllMocks();
await resetAllButKeys();
afterEach(({ task }) => {
  task.file.meta.sdkCalls = sdkCalls();
});
