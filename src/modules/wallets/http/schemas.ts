import { z } from "@hono/zod-openapi";
import type { WalletSubject } from "#modules/wallets/core/subject.ts";
import {
  BigInteger,
  BigIntegerInput,
  Count,
  MetadataSchema,
  TimestampInput,
  TimestampOutput,
} from "#platform/http/index.ts";

/** Largest body of a request, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** A text that counts as absent where it is empty or null. */
const OptionalText = z
  .string()
  .nullish()
  .transform((text) => (text === null || text === "" ? undefined : text))
  .openapi({ type: "string" });

const OptionalTimestamp = z
  .union([z.literal(""), z.null(), TimestampInput])
  .optional()
  .transform((value) => (value === "" || value === null ? undefined : value))
  .openapi({ type: "string", format: "date-time" });

const OptionalMetadata = MetadataSchema.nullish()
  .transform((metadata) => metadata ?? {})
  .openapi({ type: "object", additionalProperties: { type: "string" } });

const MetadataOutput = MetadataSchema;
const Assets = z.record(z.string(), BigInteger).openapi({ example: { "USD/2": 100 } });

const MonetaryInput = z
  .object({ amount: BigIntegerInput, asset: z.string() })
  .openapi("WalletsMonetary", { example: { amount: 1500, asset: "USD/2" } });

const SubjectInput = z
  .object({
    type: z
      .string()
      .nullish()
      .openapi({
        type: "string",
        enum: ["ACCOUNT", "WALLET"],
      }),
    identifier: z
      .string()
      .min(1, "is empty")
      .openapi({ description: "An address in the ledger of the wallets, or the id of a wallet." }),
    balance: z.string().nullish().openapi({
      type: "string",
      description: "The balance of a wallet; by default, `main`.",
    }),
  })
  .transform(({ type, identifier, balance }, context): WalletSubject => {
    // Clients in Go send an empty type. Then only a wallet has a balance, even if the balance is empty.
    const inferred = typeof balance === "string" ? "WALLET" : "ACCOUNT";
    const given = type ?? "";
    const actual = given === "" ? inferred : given;
    if (actual === "ACCOUNT") return { type: actual, identifier };
    if (actual === "WALLET") {
      return { type: actual, identifier, ...(balance ? { balance } : {}) };
    }
    context.addIssue({ code: "custom", message: "expected ACCOUNT or WALLET", path: ["type"] });
    return z.NEVER;
  })
  .openapi("WalletsSubject", {
    example: { type: "WALLET", identifier: "0d3c2f2e-8a1b-4a55-9f61-5b7f2a0f9a10" },
  });

const optionalList = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** The body of a request to create a wallet. An absent body stands for a wallet without a name. */
export const WalletRequest = z
  .object({
    name: z
      .string()
      .nullish()
      .transform((name) => name ?? ""),
    metadata: OptionalMetadata,
  })
  .optional()
  .transform((body) => body ?? { name: "", metadata: {} })
  .openapi("CreateWalletRequest", {
    type: "object",
    properties: {
      name: { type: "string" },
      metadata: { type: "object", additionalProperties: { type: "string" } },
    },
    example: { name: "alice", metadata: { tier: "gold" } },
  });

export const WalletUpdateRequest = z
  .object({ metadata: OptionalMetadata })
  .openapi("UpdateWalletRequest", { example: { metadata: { tier: "silver" } } });

export const BalanceRequest = z
  .object({
    name: z.string(),
    expiresAt: OptionalTimestamp,
    priority: BigIntegerInput.nullish().transform((priority) => priority ?? 0n),
  })
  .openapi("CreateBalanceRequest", {
    example: { name: "coupon", expiresAt: "2030-01-01T00:00:00Z", priority: 10 },
  });

const MovementFields = z.object({
  amount: MonetaryInput,
  metadata: OptionalMetadata,
  reference: OptionalText.openapi({
    description: "The reference of the transaction, unique in the ledger.",
  }),
  timestamp: OptionalTimestamp,
});

export const CreditRequest = MovementFields.extend({
  sources: optionalList(SubjectInput).openapi({
    description: "Who gives, in this order: the account `world` unless given.",
  }),
  balance: OptionalText.openapi({
    description: "The balance that receives. It has to exist if it is given.",
  }),
}).openapi("CreditWalletRequest", { example: { amount: { amount: 1500, asset: "USD/2" } } });

export const DebitRequest = MovementFields.extend({
  pending: z
    .boolean()
    .nullish()
    .transform((pending) => pending ?? false)
    .openapi({ type: "boolean", description: "Whether the money goes to a hold." }),
  description: OptionalText.openapi({ description: "Of a hold." }),
  destination: SubjectInput.nullish()
    .transform((destination) => destination ?? undefined)
    .openapi({ description: "Who receives: the account `world` unless given." }),
  balances: optionalList(z.string()).openapi({
    description:
      "The balances that give, in this order: `main` unless given. `*` alone stands for all: first those that expire, the earliest at the front, then the others by priority, and `main` last.",
  }),
  expiresAt: OptionalTimestamp.openapi({
    description: "Florin's own: when the hold is voided, unless it is closed before.",
  }),
}).openapi("DebitWalletRequest", {
  example: { amount: { amount: 500, asset: "USD/2" }, pending: true, balances: ["*"] },
});

export const ConfirmRequest = z
  .object({
    amount: BigIntegerInput.nullish()
      .transform((amount) => (amount === null || amount === 0n ? undefined : amount))
      .openapi({ description: "All that is left unless given." }),
    final: z
      .boolean()
      .nullish()
      .transform((isFinal) => isFinal ?? false)
      .openapi({
        type: "boolean",
        description: "Whether what is left then goes to the wallet's main balance.",
      }),
  })
  .optional()
  .transform((body) => body ?? { amount: undefined, final: false })
  .openapi("ConfirmHoldRequest", {
    type: "object",
    properties: {
      amount: {
        type: "integer",
        format: "bigint",
        description: "All that is left unless given.",
      },
      final: {
        type: "boolean",
        description: "Whether what is left then goes to the wallet's main balance.",
      },
    },
    example: { amount: 200, final: true },
  });

export const KeyHeaders = z.object({
  "idempotency-key": OptionalText.openapi({
    description: "A request with a key happens once, however often it is repeated.",
  }),
});

export const InfoResponse = z
  .object({
    version: z.string(),
    debug: z.boolean(),
    ledger: z.string().openapi({
      description:
        "Florin's own: the ledger of all wallets. A token that is bound to other ledgers reaches no wallet.",
    }),
  })
  .openapi("WalletsInfo");

export const HealthResponse = z.object({}).openapi("WalletsHealth");

const MainBalance = z.object({
  expiresAt: z.null(),
  priority: Count,
  assets: Assets,
});

export const WalletResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    metadata: MetadataOutput,
    createdAt: TimestampOutput,
    ledger: z.string(),
    balances: z.object({ main: MainBalance }),
  })
  .openapi("Wallet");

export const BalanceResponse = z
  .object({
    name: z.string(),
    expiresAt: TimestampOutput.nullable(),
    priority: BigInteger,
  })
  .openapi("WalletBalance");

export const BalanceWithAssetsResponse = BalanceResponse.extend({ assets: Assets }).openapi(
  "WalletBalanceWithAssets",
);

export const SummaryResponse = z
  .object({
    balances: z.array(BalanceWithAssetsResponse),
    availableFunds: Assets,
    expirableFunds: Assets,
    expiredFunds: Assets,
    holdFunds: Assets,
  })
  .openapi("WalletSummary");

const SubjectOutput = z.object({
  type: z.enum(["ACCOUNT", "WALLET"]),
  identifier: z.string(),
  balance: z.string().optional(),
});

export const HoldResponse = z
  .object({
    id: z.string(),
    walletID: z.string(),
    destination: SubjectOutput,
    asset: z.string(),
    metadata: MetadataOutput,
    description: z.string(),
    expiresAt: TimestampOutput.optional(),
  })
  .openapi("WalletHold");

export const HoldStateResponse = HoldResponse.extend({
  originalAmount: BigInteger,
  remaining: BigInteger,
}).openapi("WalletHoldState");

/** A hold in a list, which has its amounts only where the request asks for them. */
export const ListedHoldResponse = HoldResponse.extend(
  HoldStateResponse.pick({ originalAmount: true, remaining: true }).partial().shape,
).openapi("WalletListedHold");

export const TransactionResponse = z
  .object({
    id: Count,
    ledger: z.string(),
    postings: z.array(
      z.object({
        source: z.string(),
        destination: z.string(),
        amount: BigInteger,
        asset: z.string(),
      }),
    ),
    metadata: MetadataOutput,
    reference: z.string().optional(),
    template: z.string().optional(),
    timestamp: TimestampOutput,
    insertedAt: TimestampOutput,
    updatedAt: TimestampOutput,
    reverted: z.boolean(),
    revertedAt: TimestampOutput.optional(),
  })
  .openapi("WalletTransaction");
