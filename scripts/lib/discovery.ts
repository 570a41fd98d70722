import { z } from "zod";
import { OperatorError } from "./project.ts";
import { parseJson } from "#platform/json.ts";

const Configuration = z.object({ issuer: z.string(), scopes_supported: z.array(z.string()) });

/**
 * What a server says of itself: the URL under which it issues tokens, and the scopes of all modules, without those for
 * reads, which the scopes for writes include.
 */
export interface Discovered {
  readonly publicUrl: string;
  readonly scopes: readonly string[];
}

/** Asks a server. Throws `OperatorError` with its answer where it refuses requests, as one with a part of a backup does. */
export async function discover(url: string): Promise<Discovered> {
  const response = await fetch(`${url}/api/auth/.well-known/openid-configuration`);
  if (!response.ok) {
    throw new OperatorError(
      `The server refuses requests (${response.status}): ${await response.text()}`,
    );
  }
  const { issuer, scopes_supported: scopes } = Configuration.parse(
    parseJson(await response.text()),
  );
  return {
    publicUrl: issuer.replace(/\/api\/auth$/, ""),
    scopes: scopes.filter((scope) => scope.includes(":") && !scope.endsWith(":read")),
  };
}
