import { describe, expect, test } from "vitest";
import {
  readOwnerMetadata,
  toAccountMetadata,
  toOwnerMetadata,
} from "#modules/payments/core/owners/owner-metadata.ts";

const PREFIX = "com.formance.spec/owner/";
const prefixed = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [PREFIX + name, value]));

describe("the metadata of an owner", () => {
  test("the metadata of an owner name what a user has, and the street as a line", () => {
    const owner = { streetName: "Main Street", streetNumber: "12", email: "ada@example.com" };
    expect(toOwnerMetadata(owner)).toEqual(prefixed({ ...owner, addressLine1: "12 Main Street" }));
    expect(toOwnerMetadata({ streetName: "Main Street" })).toEqual(
      prefixed({ addressLine1: "Main Street", streetName: "Main Street" }),
    );
    expect(toOwnerMetadata({ streetNumber: "12" })).toEqual(prefixed({ streetNumber: "12" }));
    expect(toOwnerMetadata({})).toEqual({});
  });

  test("the metadata of an account's owner have all keys of the address, and masked numbers", () => {
    const metadata = { ...prefixed({ city: "Paris" }), own: "1" };
    const numbers = { iban: "FR7630006000011234567890189", swiftBicCode: "BNPAFRPP" };
    expect(toAccountMetadata({ name: "Rent", numbers, metadata })).toEqual(
      prefixed({
        name: "Rent",
        iban: "FR76*******************0189",
        swiftBicCode: "BNPAFRPP",
        addressLine1: "",
        addressLine2: "",
        streetName: "",
        streetNumber: "",
        city: "Paris",
        region: "",
        postalCode: "",
        email: "",
        phoneNumber: "",
      }),
    );
  });

  test("the metadata of an owner are read without what is empty or of something else", () => {
    const metadata = { ...prefixed({ city: "Paris", region: "", name: "Ada" }), own: "1" };
    expect(readOwnerMetadata(metadata)).toEqual({ city: "Paris" });
  });
});
