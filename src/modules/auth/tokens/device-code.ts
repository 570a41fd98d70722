import { currentPermissions } from "./current-permissions.ts";
import type { GrantHandler } from "./grant-handler.ts";
import { WRONG_CLIENT } from "./grant-handler.ts";
import { issuePersonTokens } from "./person-tokens.ts";
import type { TokenRequest } from "./requests.ts";
import { parseStackResource, UNKNOWN_RESOURCE } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { pollDeviceCode } from "#modules/auth/grants/device-codes.ts";

/**
 * Tokens for a device code (RFC 8628 §3.4) whose person has approved; the scopes are those that the person has now. Throws `OAuthError`,
 * which says in most cases that the device should ask again.
 */
export const deviceCode: GrantHandler = async (request, ports) => {
  const { device_code: code = "" } = request.form;
  if (code === "") throw new OAuthError("invalid_request", "device_code missing");
  const proof = { allowsPublic: true, description: WRONG_CLIENT };
  const client = await ports.clients.authenticate(request, proof);
  if (!client.allowsDevices) {
    throw new OAuthError("unauthorized_client", "the client may not log in by device codes");
  }
  await ports.signer.prepare();
  const membership = namesStack(request) ? "stack" : undefined;
  const poll = { deviceCode: code, clientId: client.clientId, membership } as const;
  const grant = await pollDeviceCode(ports.context, poll);
  const permissions = await currentPermissions(ports.context, client, grant);
  return issuePersonTokens(request, ports, { grant, client, permissions });
};

/** Whether a poll names the stack as its resource: in the form, or in the query of the URL, where the official command line has it. */
function namesStack({ form, url }: TokenRequest): boolean {
  const resource = (form.resource || new URL(url).searchParams.get("resource")) ?? "";
  if (resource === "") return false;
  if (parseStackResource(resource) !== undefined) return true;
  throw new OAuthError("invalid_target", UNKNOWN_RESOURCE);
}
