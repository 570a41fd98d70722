/** Letters of user codes: none is a vowel, so that no code is a word, and none looks like another one (RFC 8628 §6.1). */
export const USER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
export const USER_CODE_LENGTH = 8;

/** A user code as a person reads it: `WDJB-MJHT`. */
export const showUserCode = (code: string): string =>
  `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`;

/** Reads a user code as a person types it: in any case, with or without hyphens and spaces. Undefined for a text that cannot be one. */
export function parseUserCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase();
  return CODE.test(code) ? code : undefined;
}

const CODE = new RegExp(`^[${USER_CODE_ALPHABET}]{${USER_CODE_LENGTH}}$`);
