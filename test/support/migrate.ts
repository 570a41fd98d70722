import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Runs before each contract file: every file has storage of its own.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
