import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { Call, Outcome, Result } from "#scripts/florin/command.ts";
import { noun as arm } from "#scripts/florin/nouns/arm.ts";
import { noun as reviews } from "#scripts/florin/nouns/payments/reviews.ts";
import type { Api, ApiRequest } from "#scripts/lib/api.ts";

interface Words {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** A call of a verb at a server that gives answers in turn, with what the server and the operator were asked. */
function callOf(answers: readonly unknown[], { parameters = {}, texts = {}, flags = [] }: Words) {
  const requests: { method: string; path: string; body?: unknown }[] = [];
  const [scopes, losses]: [string[], string[]] = [[], []];
  const left = [...answers];
  const api = {
    call: async <S extends z.ZodType>({ method, path, body, answer }: ApiRequest<S>) => {
      requests.push({ method, path, ...(body === undefined ? {} : { body }) });
      return answer.parse(left.shift());
    },
  };
  const call: Call = {
    parameter: (name) => parameters[name] ?? "",
    words: () => [],
    text: (name) => texts[name],
    list: () => [],
    pairs: () => [],
    flag: (name) => flags.includes(name),
    note: () => undefined,
    confirm: async (_name, loss) => void losses.push(loss),
    env: {},
    url: undefined,
    connect: async (wanted) => {
      scopes.push(...wanted);
      return api as unknown as Api; // the verbs use only this method
    },
  };
  return { call, requests, scopes, losses };
}

const linesOf = (result: Result | undefined): readonly string[] => (result as Outcome).lines; // the verbs of this file have outcomes

const ID = "connector-1";
const SINCE = "2026-03-01T09:30:00Z";
const looking = { id: ID, armedAt: SINCE, phase: "looking" };
const RESTORED = {
  data: { armed: false, since: SINCE, reason: "restored", revision: "r", connectors: [] },
};

describe("florin arm", () => {
  test("florin arm of a restored copy asks whether the original is stopped, and says what it looks up, and what not", async () => {
    const after = { data: { ...RESTORED.data, connectors: [looking] } };
    const { call, requests, losses } = callOf([RESTORED, after], { texts: { connector: ID } });
    expect(linesOf(await arm.alone?.run(call))).toEqual([
      `The deployment has been disarmed since ${SINCE} because it was restored.`,
      `Since ${SINCE}, the connector ${ID} looks up what the original has paid; its money moves when it has ended.`,
    ]);
    expect(losses).toHaveLength(1);
    expect(losses[0]).toMatch(/both go on paying\..*looked up.*Rules with a schedule/);
    expect(requests[1]).toEqual({
      method: "POST",
      path: "/api/florin/v1/arm",
      body: { connectorID: ID, originalIsStopped: true, mayPayTwice: false, revision: "r" },
    });
  });

  test("florin arm says that what is left out is paid twice, before the deployment is armed and after it", async () => {
    const armed = { data: { armed: true, connectors: [{ ...looking, error: "no key" }] } };
    const flags = ["may-pay-twice"];
    const done = { data: { armed: true, connectors: [] } };
    for (const before of [RESTORED, armed]) {
      const { call, requests, losses } = callOf([before, done], { flags });
      expect(linesOf(await arm.alone?.run(call))).toEqual([
        "The deployment is armed: it calls other servers.",
      ]);
      expect(losses).toHaveLength(1);
      expect(losses[0]).toMatch(/paid again\.$/);
      expect(requests[1]?.body).toMatchObject({ mayPayTwice: true });
    }
  });

  test("florin arm changes nothing of an armed deployment, and shows the look-ups that go on, and why one does not", async () => {
    const armed = { data: { armed: true, connectors: [{ ...looking, error: "no key" }] } };
    const { call, requests, losses } = callOf([armed], {});
    expect(linesOf(await arm.alone?.run(call))).toEqual([
      "The deployment is armed: it calls other servers.",
      `Since ${SINCE}, the connector ${ID} looks up what the original has paid; its money moves when it has ended. It cannot go on now: no key.`,
    ]);
    expect([requests.length, losses]).toEqual([1, []]);
  });
});

describe("florin reviews", () => {
  test("florin reviews decide names the payment by its reference, and says that it is not known only on demand", async () => {
    const parameters = { review: "r-1", decision: "paid" };
    const texts = { payment: "tx-1" };
    for (const flags of [[], ["unknown"]]) {
      const { call, requests, scopes } = callOf([{ data: {} }], { parameters, texts, flags });
      expect(linesOf(await reviews.verbs["decide"]?.run(call))).toEqual([
        "The review r-1 is decided: paid.",
      ]);
      expect(scopes).toEqual(["florin:operate", "payments:write"]);
      expect(requests).toEqual([
        {
          method: "POST",
          path: "/api/florin/v1/payments/reviews/r-1",
          body: {
            decision: "paid",
            paymentReference: "tx-1",
            ...(flags.length === 0 ? {} : { isUnknown: true }),
          },
        },
      ]);
    }
  });

  test("florin reviews show names payments that may be meant as decide takes them", async () => {
    const data = {
      id: "r-1",
      status: "open",
      type: "PAYOUT",
      amount: 100n,
      asset: "EUR/2",
      reference: "po-1",
      reason: "nobody can tell",
      candidates: [{ id: "an-id", reference: "tx-1" }],
    };
    const { call, scopes } = callOf([{ data }], { parameters: { review: "r-1" } });
    const lines = linesOf(await reviews.verbs["show"]?.run(call)).join("\n");
    expect(lines).toMatch(/May be +tx-1/);
    expect(lines).not.toContain("an-id");
    expect(scopes).toEqual(["florin:operate", "payments:read"]);
  });
});
