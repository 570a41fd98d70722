/** The formats of users' e-mail addresses, phone numbers and locales. */

const EMAIL = /^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/;
/** Groups of digits; one group may stand in parentheses: `+33 (0)1 23 45 67`. */
const PHONE = /^\+?\d{1,4}[-. ]?\(?\d{1,3}\)?[-. ]?\d{1,4}[-. ]?\d{1,4}[-. ]?\d{1,9}$/;
const ALPHANUMERIC = /^[A-Za-z0-9]+$/;

export const isEmail = (text: string): boolean => EMAIL.test(text);

export const isPhoneNumber = (text: string): boolean => PHONE.test(text);

/** Whether a text is a language tag of BCP 47. An underscore may stand for a hyphen: `fr_FR`. */
export function isLocale(text: string): boolean {
  try {
    return new Intl.Locale(text.replaceAll("_", "-")).language !== "";
  } catch {
    return false; // Intl.Locale throws only for a malformed tag
  }
}

export const isAlphanumeric = (text: string): boolean => ALPHANUMERIC.test(text);
