import { z } from "zod";
import { CLOUDFLARE_API, CloudflareApi, type CloudflareAccess } from "./cloudflare.ts";
import { runWrangler } from "./wrangler.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const WranglerToken = z.object({ token: z.string() });
const Account = z.object({ id: z.string(), name: z.string() });

/** Finds the token and the account: those of the environment, or else the login of wrangler and its only account. */
export async function findAccess(
  env: NodeJS.ProcessEnv,
  accountId: string | undefined,
): Promise<CloudflareAccess> {
  const base = env["CLOUDFLARE_API_BASE_URL"] || CLOUDFLARE_API;
  const token = env["CLOUDFLARE_API_TOKEN"] || (await loginToken());
  const given = accountId ?? env["CLOUDFLARE_ACCOUNT_ID"];
  if (accountId !== undefined && (env["CLOUDFLARE_ACCOUNT_ID"] || accountId) !== accountId) {
    throw new OperatorError(
      `The environment file names the account ${accountId}, but CLOUDFLARE_ACCOUNT_ID is ${env["CLOUDFLARE_ACCOUNT_ID"]}.`,
    );
  }
  return { base, token, accountId: given || (await onlyAccount(base, token)) };
}

async function loginToken(): Promise<string> {
  try {
    return WranglerToken.parse(JSON.parse(await runWrangler(["auth", "token", "--json"]))).token;
  } catch (cause) {
    throw new OperatorError(
      "There is no access to Cloudflare. Set CLOUDFLARE_API_TOKEN, or log in with `npx wrangler login`. docs/deployment.md lists the permissions of the token.",
      { cause },
    );
  }
}

async function onlyAccount(base: string, token: string): Promise<string> {
  const accounts = await new CloudflareApi({ base, token, accountId: "" }).list(
    "/accounts",
    Account,
  );
  const [account] = accounts;
  if (account !== undefined && accounts.length === 1) return account.id;
  const list = accounts.map(({ id, name }) => `\n  ${id}  ${name}`).join("");
  throw new OperatorError(
    `The token reaches ${accounts.length} accounts. Set account_id in the environment file, or CLOUDFLARE_ACCOUNT_ID.${list}`,
  );
}
