/** A code verifier of RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** A code challenge of the method S256: base64url of 32 bytes. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export const isCodeVerifier = (text: string): boolean => VERIFIER.test(text);
export const isCodeChallenge = (text: string): boolean => CHALLENGE.test(text);
