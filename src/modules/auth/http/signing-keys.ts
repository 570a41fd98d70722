import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { type KeyState, SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { assertFull } from "#modules/auth/permits/permit.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";
import { dataOf, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const tags = ["Signing keys"];

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

const KeysResponse = dataOf(z.array(SigningKey));

/** Registers the operations of signing keys below `/api/florin/v1`. */
export function registerSigningKeys(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/signing-keys",
      operationId: "florinListSigningKeys",
      summary: "List the keys that verify tokens, the one that signs first",
      tags,
      scope: "auth:read",
      responses: { 200: json("The keys", KeysResponse) },
    },
    async ({ c }) => {
      const keys = await SigningKeys.from(c.env).states();
      return { status: 200, body: { data: keys.map(toKeyView) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/signing-keys/rotate",
      operationId: "florinRotateSigningKeys",
      summary: "Let a new key sign tokens",
      description:
        "The key that has signed until now verifies until all its tokens have expired. Other instances of the server sign with the new one within 30 seconds. Whoever rotates keys has all scopes and is bound to no ledgers.",
      tags,
      scope: "auth:write",
      responses: { 201: json("The keys", KeysResponse) },
    },
    async ({ c }) => {
      await assertFull(c.var.context, "a new key signs the tokens of all clients and users");
      const keys = SigningKeys.from(c.env);
      await keys.rotate(c.var.context);
      return { status: 201, body: { data: (await keys.states()).map(toKeyView) } };
    },
  );
}

const toKeyView = ({ kid, createdMs, endsMs }: KeyState) => ({
  id: kid,
  status: endsMs === undefined ? ("signs" as const) : ("verifies" as const),
  createdAt: formatTimestamp(fromMillis(createdMs)),
  ...(endsMs === undefined ? {} : { verifiesUntil: formatTimestamp(fromMillis(endsMs)) }),
});
