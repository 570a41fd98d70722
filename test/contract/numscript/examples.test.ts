import { beforeAll, describe, expect, test } from "vitest";
import { EXAMPLES } from "#console/places/numscript/examples/examples.ts";
import { okBodyOf } from "#test/support/ledger/api.ts";
import { api } from "#test/support/platform/api.ts";

const LEDGER = "/api/ledger/v2/console-examples";

interface Check {
  readonly data: { readonly diagnostics: unknown; readonly neededVariables: object };
}

interface Committed {
  readonly data: { readonly postings: readonly unknown[] };
}

describe("the examples of the console", () => {
  beforeAll(async () => {
    await api(LEDGER, { method: "POST", body: {} });
  });

  test("there are ten of them", () => {
    expect(EXAMPLES).toHaveLength(10);
  });

  test.each(EXAMPLES)("$id has no problems, runs dry, and commits", async ({ script, values }) => {
    const { data } = await okBodyOf<Check>(
      api("/api/florin/v1/numscript/check", { method: "POST", body: { plain: script } }),
    );
    expect(data.diagnostics).toEqual([]);
    expect(Object.keys(data.neededVariables)).toEqual(Object.keys(values));
    const body = { script: { plain: script, vars: values } };
    const run = (query: string) =>
      okBodyOf<Committed>(api(`${LEDGER}/transactions${query}`, { method: "POST", body }));
    const dry = await run("?dryRun=true");
    const committed = await run("");
    expect(committed.data.postings).toEqual(dry.data.postings);
    expect(committed.data.postings).not.toEqual([]);
  });
});
