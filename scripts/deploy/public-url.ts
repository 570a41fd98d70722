import { z } from "zod";
import type { CloudflareApi } from "./cloudflare.ts";
import type { DeployEnvironment } from "./environment.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const Subdomain = z.object({ subdomain: z.string() });

/**
 * The URL under which clients reach a deployment: `url` of the environment file, the first custom domain, or the name below workers.dev. Tokens
 * are issued in its name. Throws `OperatorError` if none of them is known.
 */
export async function publicUrlOf(
  api: CloudflareApi,
  environment: DeployEnvironment,
): Promise<string> {
  const { name, routes, url } = environment;
  if (url !== undefined) return url.replace(/\/+$/, "");
  for (const route of routes) {
    if (typeof route === "object" && route.custom_domain === true)
      return `https://${route.pattern}`;
  }
  if (routes.length > 0) {
    throw new OperatorError(
      "The environment file has routes without a custom domain. Set url to the URL under which clients reach the deployment.",
    );
  }
  const account = await api.read("workers/subdomain", Subdomain);
  if (account !== undefined) return `https://${name}.${account.subdomain}.workers.dev`;
  throw new OperatorError(
    "The account has no subdomain of workers.dev yet. Open Workers in Cloudflare's dashboard once, or set routes in the environment file.",
  );
}
