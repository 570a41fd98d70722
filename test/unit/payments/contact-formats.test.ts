import { describe, expect, test } from "vitest";
import {
  isAlphanumeric,
  isEmail,
  isLocale,
  isPhoneNumber,
} from "#modules/payments/core/owners/contact-formats.ts";

describe("contact details", () => {
  test.each([
    "+33123456789",
    "0123456789",
    "+1 (555) 123-4567",
    "+44.20.7946.0958",
    "12345",
    "+49 30 901820",
  ])("contact details have %s as a phone number", (text) => expect(isPhoneNumber(text)).toBe(true));

  test.each(["", "+", "1234", "++33123456789", "12a45678", "+33 1 23 45 67 89 01", "(((555)))"])(
    "contact details have no '%s' as a phone number",
    (text) => expect(isPhoneNumber(text)).toBe(false),
  );

  test.each(["ada@example.com", "a.b+c_d%e-f@mail.example.co", "A@B.io"])(
    "contact details have %s as an email address",
    (text) => expect(isEmail(text)).toBe(true),
  );

  test.each([
    "",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "ada@x.c",
    "a@b@example.com",
    "ä@x.de",
  ])("contact details have no '%s' as an email address", (text) =>
    expect(isEmail(text)).toBe(false),
  );

  test.each(["fr", "fr_FR", "fr-FR", "zh-Hant-TW", "en_gb"])(
    "contact details have %s as a locale",
    (text) => expect(isLocale(text)).toBe(true),
  );

  test.each(["", "f", "french language", "fr__FR", "1"])(
    "contact details have no '%s' as a locale",
    (text) => expect(isLocale(text)).toBe(false),
  );

  test("contact details have letters and digits in the number of a house", () => {
    expect(isAlphanumeric("12b")).toBe(true);
    expect(isAlphanumeric("12 b")).toBe(false);
    expect(isAlphanumeric("")).toBe(false);
  });
});
