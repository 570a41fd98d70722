import { beforeAll, describe, expect, test } from "vitest";
import { storePerson } from "#test/support/auth/people.ts";
import { token } from "#test/support/platform/api.ts";
import { refusalOf, sdk } from "#test/support/platform/sdk/sdk.ts";
import { isolate } from "#test/support/runner/isolate.ts";

type Auth = ReturnType<typeof sdk>["auth"]["v1"];

let auth: Auth;
/** A client with a secret, and a person. */
let clientId: string;
let secretId: string;
let userId: string;
let email: string;

beforeAll(async () => {
  auth = sdk().auth.v1;
  const { createClientResponse } = await auth.createClient({ name: "app", scopes: ["auth:read"] });
  clientId = createClientResponse?.data?.id ?? "";
  const options = { clientId, secretOptions: { name: "prod" } };
  secretId = (await auth.createSecret(options)).createSecretResponse?.data?.id ?? "";
  ({ id: userId, email } = await storePerson({ name: "Ada" }));
});

/** An SDK whose token has only the scopes of another module. */
const withoutScope = async (): Promise<Auth> =>
  sdk({ bearer: await token("ledger:write") }).auth.v1;

/** An SDK that reaches the server under a foreign host name, without a token. */
const elsewhere = (settings = {}): Auth =>
  sdk({
    serverUrl: "https://florin.example.com",
    send: isolate(settings),
    isAnonymous: true,
  }).auth.v1;

const NOBODY = "nobody";
const NAME = "x".repeat(257);

/** Each operation: a call that works, with its answer, and a call that is refused, with its status and code. */
const OPERATIONS: Readonly<
  Record<
    string,
    {
      readonly works: () => Promise<unknown>;
      readonly answers: () => unknown;
      readonly fails: () => Promise<unknown>;
      readonly refusal: readonly [status: number, code: string];
    }
  >
> = {
  createClient: {
    works: async () =>
      (await auth.createClient({ name: "made", public: true })).createClientResponse?.data,
    answers: () => ({ name: "made", public: true, secrets: [] }),
    fails: () => auth.createClient({ name: NAME }),
    refusal: [400, "VALIDATION"],
  },
  listClients: {
    works: async () =>
      (await auth.listClients()).listClientsResponse?.data?.find(({ id }) => id === clientId),
    answers: () => ({ id: clientId, name: "app" }),
    fails: async () => (await withoutScope()).listClients(),
    refusal: [401, "VALIDATION"],
  },
  readClient: {
    works: async () => (await auth.readClient({ clientId })).readClientResponse?.data,
    answers: () => ({ id: clientId, scopes: ["auth:read"] }),
    fails: () => auth.readClient({ clientId: NOBODY }),
    refusal: [404, "NOT_FOUND"],
  },
  updateClient: {
    works: async () =>
      (
        await auth.updateClient({
          clientId,
          clientOptions: { name: "app", scopes: ["auth:read"], description: "changed" },
        })
      ).createClientResponse?.data,
    answers: () => ({ id: clientId, description: "changed" }),
    fails: () => auth.updateClient({ clientId: NOBODY, clientOptions: { name: "x" } }),
    refusal: [404, "NOT_FOUND"],
  },
  deleteClient: {
    works: async () => {
      const made = (await auth.createClient({ name: "gone" })).createClientResponse?.data?.id ?? "";
      return (await auth.deleteClient({ clientId: made })).statusCode;
    },
    answers: () => 204,
    // The deletion of an unknown client is no error, so only a missing scope can refuse it.
    fails: async () => (await withoutScope()).deleteClient({ clientId }),
    refusal: [401, "VALIDATION"],
  },
  createSecret: {
    works: async () =>
      (await auth.createSecret({ clientId, secretOptions: { name: "next" } })).createSecretResponse
        ?.data,
    answers: () => ({ name: "next", lastDigits: expect.any(String) as unknown }),
    fails: () => auth.createSecret({ clientId: NOBODY, secretOptions: { name: "next" } }),
    refusal: [404, "NOT_FOUND"],
  },
  deleteSecret: {
    works: async () => (await auth.deleteSecret({ clientId, secretId })).statusCode,
    answers: () => 204,
    fails: () => auth.deleteSecret({ clientId, secretId: NOBODY }),
    refusal: [404, "NOT_FOUND"],
  },
  listUsers: {
    works: async () =>
      (await auth.listUsers()).listUsersResponse?.data?.find(({ id }) => id === userId),
    answers: () => ({ id: userId, email }),
    fails: async () => (await withoutScope()).listUsers(),
    refusal: [401, "VALIDATION"],
  },
  readUser: {
    works: async () => (await auth.readUser({ userId })).readUserResponse?.data,
    answers: () => ({ id: userId, email }),
    fails: () => auth.readUser({ userId: NOBODY }),
    refusal: [404, "NOT_FOUND"],
  },
  getServerInfoAuth: {
    works: async () => (await auth.getServerInfoAuth()).serverInfo,
    answers: () => ({ version: "v2.4.0" }),
    // Without authentication, a server answers no foreign host name at all.
    fails: () => elsewhere({ FLORIN_AUTH: "off" }).getServerInfoAuth(),
    refusal: [401, "VALIDATION"],
  },
  getOIDCWellKnowns: {
    works: async () => (await auth.getOIDCWellKnowns()).statusCode,
    answers: () => 200,
    fails: () => elsewhere().getOIDCWellKnowns(),
    refusal: [400, "VALIDATION"],
  },
};

describe("the official SDK", () => {
  test("the official SDK has no operation of auth besides these", () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(auth));
    const operations = methods.filter((name) => name !== "constructor");
    expect(operations.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  test.each(Object.entries(OPERATIONS))(
    "the official SDK reads what %s answers",
    async (_name, operation) => {
      expect({ answer: await operation.works() }).toMatchObject({ answer: operation.answers() });
    },
  );

  test.each(Object.entries(OPERATIONS))(
    "the official SDK reads why %s is refused",
    async (_name, operation) => {
      const [statusCode, errorCode] = operation.refusal;
      expect(await refusalOf(operation.fails())).toEqual({ statusCode, errorCode });
    },
  );

  test("the official SDK takes the people of the list in the order in which they came", async () => {
    const later = await storePerson();
    const ids = (await auth.listUsers()).listUsersResponse?.data?.map(({ id }) => id) ?? [];
    expect(ids.indexOf(later.id)).toBeGreaterThan(ids.indexOf(userId));
  });
});
