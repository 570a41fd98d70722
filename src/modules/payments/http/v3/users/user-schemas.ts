import { z } from "@hono/zod-openapi";
import { CONNECTION_STATUSES, LINK_STATUSES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import {
  isAlphanumeric,
  isEmail,
  isLocale,
  isPhoneNumber,
} from "#modules/payments/core/owners/contact-formats.ts";
import {
  OptionalCountry,
  OptionalMetadata,
  OptionalText,
  RequiredText,
} from "#modules/payments/http/fields.ts";
import { UuidInput } from "#modules/payments/http/path-ids.ts";
import type { NewUser } from "#modules/payments/users/create.ts";
import type { Connection, LinkAttempt, User } from "#modules/payments/users/user.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

/** Most bank accounts of a new user. */
const BANK_ACCOUNTS_MAX = 1000;

const optionally = (holds: (text: string) => boolean) => (text: string | undefined) =>
  text === undefined || holds(text);

const ContactDetailsInput = z.object({
  email: OptionalText.refine(optionally(isEmail), "is not an email address"),
  phoneNumber: OptionalText.refine(optionally(isPhoneNumber), "is not a phone number"),
  locale: OptionalText.refine(optionally(isLocale), "is not a locale such as fr_FR"),
});

const AddressInput = z.object({
  streetName: OptionalText,
  streetNumber: OptionalText.refine(
    optionally(isAlphanumeric),
    "can only contain alphanumeric characters",
  ),
  city: OptionalText,
  region: OptionalText,
  postalCode: OptionalText,
  country: OptionalCountry,
});

export const UserRequest = z
  .object({
    name: RequiredText,
    contactDetails: ContactDetailsInput.nullish(),
    address: AddressInput.nullish(),
    bankAccountIDs: z.array(UuidInput).max(BANK_ACCOUNTS_MAX).nullish(),
    metadata: OptionalMetadata,
  })
  .openapi("PaymentServiceUserRequest", {
    example: {
      name: "Ada",
      contactDetails: { email: "ada@example.com", locale: "fr_FR" },
      address: { city: "Paris", country: "FR" },
    },
  });

export function toNewUser(body: z.output<typeof UserRequest>): NewUser {
  const { name, contactDetails, address, bankAccountIDs, metadata } = body;
  return {
    name,
    contactDetails: given(contactDetails ?? {}),
    address: given(address ?? {}),
    bankAccountIds: bankAccountIDs ?? [],
    metadata,
  };
}

export const UserResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: TimestampOutput,
    contactDetails: z
      .object({
        email: z.string().optional(),
        phoneNumber: z.string().optional(),
        locale: z.string().optional(),
      })
      .optional(),
    address: z
      .object({
        streetName: z.string().optional(),
        streetNumber: z.string().optional(),
        city: z.string().optional(),
        region: z.string().optional(),
        postalCode: z.string().optional(),
        country: z.string().optional(),
      })
      .optional(),
    bankAccountIDs: z.array(z.string()),
    metadata: MetadataSchema,
  })
  .openapi("PaymentServiceUser");

export const toUserView = (user: User) => ({
  id: user.id,
  name: user.name,
  createdAt: formatTimestamp(user.createdAt),
  ...given({ contactDetails: user.contactDetails, address: user.address }),
  bankAccountIDs: [...user.bankAccountIds],
  metadata: user.metadata,
});

export const ConnectionResponse = z
  .object({
    connectionID: z.string().openapi({ description: "The provider's id." }),
    connectorID: z.string(),
    createdAt: TimestampOutput,
    dataUpdatedAt: TimestampOutput.openapi({
      description:
        "The last time at which its data was fetched; in the year 1 before the first time.",
    }),
    status: z.enum(CONNECTION_STATUSES),
    updatedAt: TimestampOutput,
    error: z.string().optional(),
    metadata: MetadataSchema,
  })
  .openapi("PaymentServiceUserConnection");

export const toConnectionView = (connection: Connection) => ({
  connectionID: connection.connectionId,
  connectorID: encodeConnectorId(connection.connector),
  createdAt: formatTimestamp(connection.createdAt),
  dataUpdatedAt: formatTimestamp(connection.dataUpdatedAt ?? ZERO_TIMESTAMP),
  status: connection.status,
  updatedAt: formatTimestamp(connection.updatedAt),
  ...given({ error: connection.error }),
  metadata: connection.metadata,
});

export const LinkAttemptResponse = z
  .object({
    id: z.string(),
    psuID: z.string(),
    connectorID: z.string(),
    createdAt: TimestampOutput,
    status: z.enum(LINK_STATUSES),
    clientRedirectURL: z.string(),
    error: z.string().optional(),
  })
  .openapi("PaymentServiceUserLinkAttempt");

export const toLinkAttemptView = (attempt: LinkAttempt) => ({
  id: attempt.id,
  psuID: attempt.userId,
  connectorID: encodeConnectorId(attempt.connector),
  createdAt: formatTimestamp(attempt.createdAt),
  status: attempt.status,
  clientRedirectURL: attempt.clientRedirectUrl,
  ...given({ error: attempt.error }),
});
