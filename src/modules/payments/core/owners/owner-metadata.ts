import { type BankNumbers, maskNumbers } from "./bank-numbers.ts";

/** Prefix of the reserved metadata keys that describe the owner of a bank account. */
const PREFIX = "com.formance.spec/owner/";

type Texts = Readonly<Record<string, string>>;

const ADDRESS_KEYS = [
  "addressLine1",
  "addressLine2",
  "streetName",
  "streetNumber",
  "city",
  "region",
  "postalCode",
  "email",
  "phoneNumber",
] as const;

export interface Owner {
  readonly streetName?: string;
  readonly streetNumber?: string;
  readonly city?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly email?: string;
  readonly phoneNumber?: string;
}

/** The metadata that a user gives to a bank account: the known fields, and the street with its number as an address line. */
export function toOwnerMetadata(owner: Owner): Texts {
  const { streetName, streetNumber, city, region, postalCode, email, phoneNumber } = owner;
  const addressLine1 =
    streetName === undefined || streetNumber === undefined
      ? streetName
      : `${streetNumber} ${streetName}`;
  const known = {
    addressLine1,
    streetName,
    streetNumber,
    city,
    region,
    postalCode,
    email,
    phoneNumber,
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) =>
      value === undefined ? [] : [[PREFIX + name, value]],
    ),
  );
}

/**
 * The metadata of the account that a connector has made of a bank account. It describes the owner, and has an empty text
 * for each key of the address that is unknown. The numbers are masked, because nothing else stores them in clear either.
 */
export function toAccountMetadata(bankAccount: {
  readonly name: string;
  readonly country?: string;
  readonly numbers: BankNumbers;
  readonly metadata: Texts;
}): Texts {
  const { name, country, numbers, metadata } = bankAccount;
  const owner = { name, country, ...maskNumbers(numbers) };
  const entries = Object.entries(owner).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[PREFIX + key, value]],
  );
  const address = ADDRESS_KEYS.map((key): [string, string] => [
    PREFIX + key,
    metadata[PREFIX + key] ?? "",
  ]);
  return Object.fromEntries([...entries, ...address]);
}

/** The owner's address in the metadata of a bank account. An empty text counts as absent. */
export function readOwnerMetadata(
  metadata: Texts,
): Readonly<Partial<Record<(typeof ADDRESS_KEYS)[number], string>>> {
  return Object.fromEntries(
    ADDRESS_KEYS.flatMap((key) => {
      const value = metadata[PREFIX + key] ?? "";
      return value === "" ? [] : [[key, value]];
    }),
  );
}
