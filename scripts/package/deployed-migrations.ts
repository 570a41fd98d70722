import type * as deployed from "#scripts/deploy/deployed-migrations.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Throws: a deployment belongs to a checkout of the project, which has its environment file and wrangler. */
export const deployedMigrations: typeof deployed.deployedMigrations = async () => {
  throw new OperatorError(
    "A deployment is checked in a checkout of Florin, from which it is deployed: npm run florin -- upgrade check --remote",
  );
};
