import { z } from "@hono/zod-openapi";
import { getPerson, listPeople } from "#modules/auth/administration/users.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const users = operations({ path: "/users", tags: ["Users"], scope: "auth" });

const User = z
  .object({
    id: z.string().openapi({ description: "The `sub` of the user's tokens" }),
    subject: z.string().openapi({ description: "Who the user is for the login provider" }),
    email: z.string(),
  })
  .openapi("User");

const toUserView = ({ id, subject, email }: EndUser) => ({ id, subject, email });

/** Registers the reads of people that the official clients know. */
export const registerUsers = registration(
  users.get("", {
    operationId: "listUsers",
    summary: "List all users",
    answer: ok.list("The users", User, toUserView),
    handle: ({ context }) => listPeople(context),
  }),
  users.get("/{userId}", {
    operationId: "readUser",
    summary: "Read a user",
    params: z.object({ userId: z.string() }),
    answer: ok.data("The user", User, toUserView),
    errors: [404],
    handle: ({ params, context }) => getPerson(context, params.userId),
  }),
);
