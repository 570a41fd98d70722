import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Runs before each contract file; what is applied already is left alone.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
