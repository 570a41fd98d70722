/** The parameters of the token endpoint that some grant reads. */
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
}

/** How a request says which client it comes from. */
export interface ClientRequest {
  readonly form: Pick<TokenForm, "client_id" | "client_secret">;
  readonly authorization: string | null;
  /** Where the request comes from; see `addressOf`. */
  readonly address: string;
}

/** A request to the token endpoint. */
export interface TokenRequest extends ClientRequest {
  readonly form: TokenForm;
  readonly url: string;
  /** The issuer that the tokens name. */
  readonly issuer: string;
}

/** What the token endpoint gives. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** The scopes that were granted, where the client may not know them. */
  readonly scope?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
}
