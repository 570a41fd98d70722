import { parseArgs } from "node:util";
import { inProject, OperatorError } from "#scripts/lib/project.ts";

/** What `npm run deploy` was asked for. */
export interface DeployOptions {
  /** The environment's name, which its file has. */
  readonly env: string;
  /** The path of the environment file. */
  readonly file: string;
  /** Whether the plan is carried out without a question. */
  readonly yes: boolean;
  readonly destroy: boolean;
  /** The deployment's name, given in place of typing it, for `--destroy`. */
  readonly confirmed: string | undefined;
  readonly help: boolean;
}

export const USAGE = `npm run deploy [-- --env <name>] [--yes] [--destroy]

Makes or updates a deployment at Cloudflare: shows what it would change, asks, and does it. A run that broke off goes on where it was.

  --env <name>       the environment, whose file is deploy/<name>.toml; "production" by default
  --file <path>      another path of the environment file
  --yes              does not ask before changes
  --destroy          deletes the deployment with all data, after its name was typed
  --confirm <name>   the deployment's name, in place of typing it, for --destroy
  --help             shows this text

CLOUDFLARE_API_TOKEN is the token of Cloudflare's API, CLOUDFLARE_ACCOUNT_ID the account; without a token, the login of wrangler counts
(npx wrangler login). docs/deployment.md describes the environment file and examples for continuous integration.
`;

const STANDARD_ENVIRONMENT = "production";

/** Reads the arguments of the command. Throws `OperatorError` for one that it does not know. */
export function readOptions(args: readonly string[]): DeployOptions {
  const { values } = parse(args);
  const env = values.env ?? STANDARD_ENVIRONMENT;
  if (!/^[a-z](?:[a-z0-9-]{0,29}[a-z0-9])?$/.test(env)) {
    throw new OperatorError(
      `--env is ${JSON.stringify(env)}. It takes 1 to 31 lower case letters, digits and hyphens, the first a letter.`,
    );
  }
  if (values.destroy !== true && values.confirm !== undefined) {
    throw new OperatorError("--confirm is for --destroy only.");
  }
  return {
    env,
    file: values.file ?? inProject("deploy", `${env}.toml`),
    yes: values.yes ?? false,
    destroy: values.destroy ?? false,
    confirmed: values.confirm,
    help: values.help ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        env: { type: "string" },
        file: { type: "string" },
        yes: { type: "boolean", short: "y" },
        destroy: { type: "boolean" },
        confirm: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${reason}\n\n${USAGE}`, { cause });
  }
}
