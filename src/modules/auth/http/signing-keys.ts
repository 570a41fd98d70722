import { z } from "@hono/zod-openapi";
import { type KeyState, SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { assertFull } from "#modules/auth/permits/permit.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const signingKeys = operations({ path: "/signing-keys", tags: ["Signing keys"], scope: "auth" });

const SigningKey = z
  .object({
    id: z.string().openapi({ description: "The `kid` of the tokens that it has signed" }),
    status: z.enum(["signs", "verifies"]),
    createdAt: TimestampOutput,
    verifiesUntil: TimestampOutput.optional().openapi({
      description: "Until when tokens that it has signed are valid. The key that signs has none.",
    }),
  })
  .openapi("SigningKey");

const toKeyView = ({ kid, createdMs, endsMs }: KeyState) => ({
  id: kid,
  status: endsMs === undefined ? ("signs" as const) : ("verifies" as const),
  createdAt: formatTimestamp(fromMillis(createdMs)),
  ...(endsMs === undefined ? {} : { verifiesUntil: formatTimestamp(fromMillis(endsMs)) }),
});

/** Registers the operations of signing keys below `/api/florin/v1`. */
export const registerSigningKeys = registration(
  signingKeys.get("", {
    operationId: "florinListSigningKeys",
    summary: "List the keys that verify tokens, the one that signs first",
    answer: ok.list("The keys", SigningKey, toKeyView),
    handle: ({ c }) => SigningKeys.from(c.env).states(),
  }),
  signingKeys.post("/rotate", {
    operationId: "florinRotateSigningKeys",
    summary: "Let a new key sign tokens",
    description:
      "The key that has signed until now verifies until all its tokens have expired. Other instances of the server sign with the new one within 30 seconds. Whoever rotates keys has all scopes and is bound to no ledgers.",
    answer: ok.created("The keys", z.array(SigningKey)),
    handle: async ({ context, c }) => {
      await assertFull(context, "a new key signs the tokens of all clients and users");
      const keys = SigningKeys.from(c.env);
      await keys.rotate(context);
      return (await keys.states()).map(toKeyView);
    },
  }),
);
