/** The parameters of the token endpoint, of all grant types. */
export interface TokenForm {
  readonly grant_type?: string | undefined;
  readonly scope?: string | undefined;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly code?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly code_verifier?: string | undefined;
  readonly refresh_token?: string | undefined;
  readonly assertion?: string | undefined;
  readonly device_code?: string | undefined;
  readonly resource?: string | undefined;
}

/** The parts of a request that authenticate its client. */
export interface ClientRequest {
  readonly form: Pick<TokenForm, "client_id" | "client_secret">;
  readonly authorization: string | null;
  /** The IP address of the client; see `addressOf`. */
  readonly address: string;
}

/** A request to the token endpoint. */
export interface TokenRequest extends ClientRequest {
  readonly form: TokenForm;
  readonly url: string;
  /** The issuer that the tokens name. */
  readonly issuer: string;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** The granted scopes, separated by spaces; may be absent if they are exactly the requested ones. */
  readonly scope?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
}
