import type { ClientAuthenticator } from "./client-authenticator.ts";
import { WRONG_CLIENT } from "./grant-handler.ts";
import type { ClientRequest } from "./requests.ts";
import { readIdTokenHint } from "#modules/auth/authorize/id-token-hint.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import {
  FCTL_CLIENT_ID,
  type MembershipKind,
  ORGANIZATION_ID,
  parseStackResource,
  type StackAccess,
  UNKNOWN_RESOURCE,
} from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { isStandardScope, splitScopes } from "#modules/auth/core/scopes.ts";
import { type DeviceCodes, issueDeviceCodes } from "#modules/auth/grants/device-codes.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The parameters of the device authorization endpoint (RFC 8628 §3.1), with those of a membership client. */
export interface DeviceForm {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly scope?: string | undefined;
  readonly organization_id?: string | undefined;
  readonly resource?: string | undefined;
  readonly id_token_hint?: string | undefined;
}

export interface DeviceAuthorization extends ClientRequest {
  readonly form: DeviceForm;
  readonly issuer: string;
}

export interface DevicePorts {
  readonly context: ServiceContext;
  readonly clients: Pick<ClientAuthenticator, "authenticate">;
}

/** Makes the codes for a device. Throws `OAuthError`. */
export async function authorizeDevice(
  request: DeviceAuthorization,
  { context, clients }: DevicePorts,
): Promise<DeviceCodes> {
  const proof = { allowsPublic: true, description: WRONG_CLIENT };
  const client = await clients.authenticate(request, proof);
  if (!client.allowsDevices) {
    throw new OAuthError("unauthorized_client", "the client may not log in by device codes");
  }
  const { form, issuer, address } = request;
  const asked = client.clientId === FCTL_CLIENT_ID ? membershipOf(form) : apiOf(form, client);
  return issueDeviceCodes(context, {
    ...asked,
    clientId: client.clientId,
    hintedSubject: await hintedSubject(context, { form, client, issuer }),
    address,
  });
}

interface Asked {
  readonly scopes: readonly string[];
  readonly membership: MembershipKind | undefined;
}

/** What a client asks of the API. Scopes that it may not have are left out, as for all grant types. */
function apiOf(
  { scope = "", resource = "", organization_id = "" }: DeviceForm,
  client: Credential,
): Asked {
  if (resource !== "" || organization_id !== "") {
    throw new OAuthError("invalid_target", "the client is no client of the membership service");
  }
  const scopes = [...splitScopes(scope)].filter(
    (item) => isStandardScope(item) || client.scopes.includes(item),
  );
  return { scopes, membership: undefined };
}

/** What the official command line asks: who somebody is, something of the organisation, or the stack. Its own names of scopes are left out. */
function membershipOf({ scope = "", resource = "", organization_id: id = "" }: DeviceForm): Asked {
  if (id !== "" && id !== ORGANIZATION_ID) {
    throw new OAuthError("invalid_target", `there is no organization '${id}'`);
  }
  const standard = [...splitScopes(scope)].filter(isStandardScope);
  if (resource === "") {
    return { scopes: standard, membership: id === "" ? "root" : "organization" };
  }
  const accesses: readonly StackAccess[] | undefined = parseStackResource(resource);
  if (accesses === undefined) throw new OAuthError("invalid_target", UNKNOWN_RESOURCE);
  return { scopes: [...standard, ...accesses], membership: "stack" };
}

/**
 * The person whom an ID token of this server names. It may have expired, so it allows nothing: it only keeps somebody else from
 * answering. A text that is no ID token of the client, such as one whose key is gone, names nobody.
 */
async function hintedSubject(
  context: ServiceContext,
  { form, client, issuer }: { form: DeviceForm; client: Credential; issuer: string },
): Promise<string | undefined> {
  const { id_token_hint: text = "" } = form;
  if (text === "") return undefined;
  const isMembership = client.clientId === FCTL_CLIENT_ID;
  const hint = await readIdTokenHint(context, text, isMembership ? baseOfIssuer(issuer) : issuer);
  return hint?.clientId === client.clientId ? hint.subject : undefined;
}
