import { findAccess } from "./account.ts";
import { CloudflareApi } from "./cloudflare.ts";
import { findDatabase, readMigrations } from "./database.ts";
import { readEnvironment, standardEnvironment } from "./environment.ts";
import { readOptions } from "./options.ts";
import type { MigrationsState } from "#platform/upgrade/migrations.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * Compares the migrations of a deployment's database with those of this version, by reads only. `args` are arguments of `npm run deploy`, which
 * name the deployment. Throws `OperatorError` if there is no such database.
 */
export async function deployedMigrations(
  args: readonly string[],
  processEnv: NodeJS.ProcessEnv,
): Promise<MigrationsState> {
  const { env, file } = readOptions(args);
  const environment = readEnvironment(file) ?? standardEnvironment(env);
  const api = new CloudflareApi(await findAccess(processEnv, environment.account_id));
  const database = await findDatabase(api, environment.name, environment.database_id);
  if (database === undefined) {
    throw new OperatorError(`The account has no D1 database ${environment.name}.`);
  }
  return readMigrations(api, database.uuid);
}
