import { describe, expect, test } from "vitest";
import { type Bench, type Conformance, fetchOf, openBench, secretsOf } from "./subject.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { type FakePsp, jsonAnswer, type PspFault } from "#test/support/psp/fake-psp.ts";

/** Wrong answers of a provider. */
const FAULTS: readonly { name: string; kind: ConnectorError["kind"]; fault: PspFault }[] = [
  {
    name: "a limit, with the time until it ends",
    kind: "rate-limited",
    fault: { answer: () => new Response(null, { status: 429, headers: { "retry-after": "7" } }) },
  },
  { name: "500", kind: "unknown", fault: { answer: () => new Response("oops", { status: 500 }) } },
  { name: "503", kind: "unknown", fault: { answer: () => new Response(null, { status: 503 }) } },
  { name: "403", kind: "invalid", fault: { answer: () => jsonAnswer({ message: "no" }, 403) } },
  { name: "no answer at all", kind: "unreachable", fault: { kind: "lose-answer" } },
  { name: "half of an answer", kind: "unknown", fault: { answer: () => new Response('{"a":[{') } },
];

/** Failures of the provider are errors whose kind says whether to try again, and which show no secret. */
export function errorConformance<P extends FakePsp>(subject: Conformance<P>): void {
  const list = subject.lists.find(({ add }) => add !== undefined);
  if (list === undefined) return;
  const read = ({ psp, plugin }: Bench<P>) =>
    fetchOf(plugin, list.task)({ ...list.parent?.(psp), state: undefined, pageSize: 2 });
  const failureAfter = async (fault: PspFault): Promise<ConnectorError> => {
    const bench = openBench(subject);
    const on = list.parent?.(bench.psp);
    list.add?.(bench.psp, 1);
    bench.psp.fail(fault);
    const page = fetchOf(bench.plugin, list.task)({ ...on, state: undefined, pageSize: 2 });
    return failureOf(page);
  };

  describe("an error of the provider", () => {
    test.each(FAULTS)("$name is $kind", async ({ kind, fault }) => {
      expect((await failureAfter(fault)).kind).toBe(kind);
    });

    test("an error of the provider that names a time is repeated after it", async () => {
      const answer = () => new Response(null, { status: 429, headers: { "retry-after": "7" } });
      expect((await failureAfter({ answer })).retryAfterMs).toBe(7000);
    });

    test.each(subject.errors)("$name is $kind", async ({ answer, kind }) => {
      expect((await failureAfter({ answer })).kind).toBe(kind);
    });

    test.each(["null", "[null]", '{"data":5}', '"text"'])(
      "an error of the provider may be an answer of another form: %s",
      async (text) => {
        const bench = openBench(subject);
        const on = list.parent?.(bench.psp);
        list.add?.(bench.psp, 1);
        bench.psp.fail({ answer: () => new Response(text) });
        const fetch = fetchOf(bench.plugin, list.task);
        // A list may fail, or reject the wrong value and succeed.
        const outcome = await fetch({ ...on, state: undefined, pageSize: 2 }).then(
          ({ rejected = [] }) => rejected.length > 0,
          (error: unknown) => error instanceof ConnectorError,
        );
        expect(outcome).toBe(true);
      },
    );

    test("an error of the provider shows no secret, even if the provider repeats the request in it", async () => {
      const { message } = await failureAfter({
        answer: ({ headers, path, query, text }) =>
          jsonAnswer(
            { message: `${[...headers].flat().join(" ")} ${path} ${query.toString()} ${text}` },
            400,
          ),
      });
      expect(message).toContain("400");
      for (const secret of secretsOf(subject)) {
        expect(message).not.toContain(secret);
        expect(message).not.toContain(btoa(secret).slice(0, 12));
      }
    });
  });

  test("fetched items hold no secret of the configuration", async () => {
    const bench = openBench(subject);
    const on = list.parent?.(bench.psp);
    list.add?.(bench.psp, 1);
    const { items } = await fetchOf(
      bench.plugin,
      list.task,
    )({
      ...on,
      state: undefined,
      pageSize: 2,
    });
    const text = items.map((item) => Object.values(item as object).map(String)).join("\n");
    for (const secret of secretsOf(subject)) expect(text).not.toContain(secret);
  });

  test("a configuration that the provider does not let in is invalid", async () => {
    const secrets = subject.kind.fields.filter(({ isSecret }) => isSecret === true);
    if (secrets.length === 0) return;
    const config = { ...subject.config };
    for (const { name } of secrets) config[name] = "another-psp-secret";
    const bench = openBench({ ...subject, config });
    expect((await failureOf(bench.plugin.checkAccess?.() ?? read(bench))).kind).toBe("invalid");
  });
}

/** The error with which a call fails. An error other than `ConnectorError` is a bug of the connector. */
export async function failureOf(call: Promise<unknown>): Promise<ConnectorError> {
  const error = await call.then(
    () => new Error("the call succeeds"),
    (failure: unknown) => failure,
  );
  if (error instanceof ConnectorError) return error;
  throw error;
}
