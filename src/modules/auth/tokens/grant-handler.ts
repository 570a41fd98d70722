import type { ClientAuthenticator } from "./client-authenticator.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import type { TokenSigner } from "./token-signer.ts";
import type { MembershipReader, TokenReader } from "#modules/auth/verification/token-verifier.ts";
import type { ServiceContext } from "#platform/context.ts";

export interface GrantPorts {
  readonly context: ServiceContext;
  readonly clients: Pick<ClientAuthenticator, "authenticate" | "find">;
  readonly signer: TokenSigner;
  readonly reader: TokenReader & MembershipReader;
}

/** A grant type: checks the credentials of a request, and issues tokens for them. Throws `OAuthError`. */
export type GrantHandler = (request: TokenRequest, ports: GrantPorts) => Promise<IssuedTokens>;

/** The description of a refusal by the grant types for people, if the client is unknown or its secret is wrong. */
export const WRONG_CLIENT = "invalid client_id / client_secret";
