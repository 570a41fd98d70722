import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { getPerson, listPeople } from "#modules/auth/administration/users.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

const tags = ["Users"];

const User = z
  .object({
    id: z.string().openapi({ description: "The `sub` of the user's tokens" }),
    subject: z.string().openapi({ description: "Who the user is for the login provider" }),
    email: z.string(),
  })
  .openapi("User");

/** Registers the reads of people that the official clients know. */
export function registerUsers(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/users",
      operationId: "listUsers",
      summary: "List all users",
      tags,
      scope: "auth:read",
      responses: { 200: json("The users", dataOf(z.array(User))) },
    },
    async ({ c }) => {
      const people = await listPeople(c.var.context);
      return { status: 200, body: { data: people.map(toUserView) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/users/{userId}",
      operationId: "readUser",
      summary: "Read a user",
      tags,
      scope: "auth:read",
      params: z.object({ userId: z.string() }),
      responses: { 200: json("The user", dataOf(User)), ...errors(404) },
    },
    async ({ params, c }) => {
      const person = await getPerson(c.var.context, params.userId);
      return { status: 200, body: { data: toUserView(person) } };
    },
  );
}

const toUserView = ({ id, subject, email }: EndUser) => ({ id, subject, email });
