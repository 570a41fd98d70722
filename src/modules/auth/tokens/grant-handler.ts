import type { ClientAuthenticator } from "./client-authenticator.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import type { TokenSigner } from "./token-signer.ts";
import type { TokenReader } from "#modules/auth/verification/token-verifier.ts";
import type { ServiceContext } from "#platform/context.ts";

/** What grants work with. */
export interface GrantPorts {
  readonly context: ServiceContext;
  readonly clients: Pick<ClientAuthenticator, "authenticate">;
  readonly signer: TokenSigner;
  readonly reader: TokenReader;
}

/** One grant type: checks what a request presents, and issues tokens for it. */
export type GrantHandler = (request: TokenRequest, ports: GrantPorts) => Promise<IssuedTokens>;

/** What refusals of grants for people say of a client that is unknown or has presented a wrong secret. */
export const WRONG_CLIENT = "invalid client_id / client_secret";
