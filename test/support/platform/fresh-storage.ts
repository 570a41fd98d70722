import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

// Runs before each contract file. The files of a worker share its runtime and its modules, but no data: each finds a
// migrated database, no objects, and nothing replaced by a spy.

/** Tokens and the caches of the Worker outlive a file, and with them the key that the tokens are signed with. */
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
