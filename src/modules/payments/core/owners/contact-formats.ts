/** The forms of what a user can be reached by. */

const EMAIL = /^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/;
/** Groups of digits, of which one may stand in parentheses: `+33 (0)1 23 45 67`. */
const PHONE = /^\+?\d{1,4}[-. ]?\(?\d{1,3}\)?[-. ]?\d{1,4}[-. ]?\d{1,4}[-. ]?\d{1,9}$/;
const ALPHANUMERIC = /^[A-Za-z0-9]+$/;

export const isEmail = (text: string): boolean => EMAIL.test(text);

export const isPhoneNumber = (text: string): boolean => PHONE.test(text);

/** A tag of BCP 47, in which an underscore may stand for a hyphen: `fr_FR`. */
export function isLocale(text: string): boolean {
  try {
    return new Intl.Locale(text.replaceAll("_", "-")).language !== "";
  } catch {
    return false; // the only error is a tag that is not well formed
  }
}

export const isAlphanumeric = (text: string): boolean => ALPHANUMERIC.test(text);
