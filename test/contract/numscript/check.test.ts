import { describe, expect, test } from "vitest";
import { okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";

const PATH = "/api/florin/v1/numscript/check";
const check = (body: unknown) => api(PATH, { method: "POST", body });

interface Report {
  readonly data: {
    readonly valid: boolean;
    readonly runtime: string;
    readonly diagnostics: readonly { code: string; severity: string; message: string }[];
  };
}

const PLAIN = `vars {
  monetary $m
  account $unused
}
send $m (
  source = @users:1
  destination = {
    max [USD/2 5] to @shop
    remaining kept
  }
)`;

describe("the check of a script", () => {
  test("the check of a script answers all that an editor shows, with positions from zero", async () => {
    const { data } = await okBodyOf<{ data: Record<string, unknown> }>(check({ plain: PLAIN }));
    expect(data).toMatchObject({ valid: true, runtime: "machine" });
    const at = (line: number, from: number, to: number) => ({
      start: { line, character: from },
      end: { line, character: to },
    });
    expect(data["variables"]).toEqual([
      {
        name: "m",
        type: "monetary",
        range: at(1, 11, 13),
        typeRange: at(1, 2, 10),
        hasOrigin: false,
        isUsed: true,
        references: [at(4, 5, 7)],
      },
      {
        name: "unused",
        type: "account",
        range: at(2, 10, 17),
        typeRange: at(2, 2, 9),
        hasOrigin: false,
        isUsed: false,
        references: [],
      },
    ]);
    expect(data["diagnostics"]).toContainEqual({
      code: "unused-variable",
      severity: "warning",
      message: "The variable '$unused' is never used",
      range: at(2, 10, 17),
    });
    expect(data["accounts"]).toEqual([
      { address: "users:1", roles: ["source"], ranges: [at(5, 11, 19)] },
      { address: "shop", roles: ["destination"], ranges: [at(7, 21, 26)] },
    ]);
    expect(data["assets"]).toEqual([{ asset: "USD/2", ranges: [at(7, 9, 14)] }]);
    expect(data["hovers"]).toContainEqual({
      range: at(4, 5, 7),
      contents: expect.stringContaining("$m: monetary") as unknown,
    });
    expect(data["neededVariables"]).toEqual({ m: "monetary", unused: "account" });
  });

  test.each([
    ["machine", "garbage"],
    ["experimental-interpreter", "garbage"],
    ["machine", ""],
    ["machine", "send [USD 1] (source = @a destination = @b)"],
    ["experimental-interpreter", "send [USD 1] (source = $a destination = @b)"],
  ])("the check of a script finds what is wrong, for %s in %o", async (runtime, plain) => {
    const { data } = await okBodyOf<Report>(check({ plain, runtime }));
    expect(data).toMatchObject({ valid: false, runtime });
    expect(data.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  });

  test("the check of a script takes any length within its limit, and says when a script is too long", async () => {
    const { data } = await okBodyOf<Report>(check({ plain: " ".repeat(100_001) }));
    expect(data.diagnostics.map(({ code }) => code)).toEqual(["limit-exceeded"]);
    const large = await check({ plain: "x".repeat(2_000_000) });
    expect(large.status).toBe(413);
  });

  test("the check of a script refuses an invalid body, and a client without the scope", async () => {
    for (const body of ["", "null", "{}", '{"plain":1}', '{"plain":"","runtime":"wasm"}']) {
      expect((await refusalOf(check(body))).code).toBe("VALIDATION");
    }
    const anonymous = await api(PATH, { method: "POST", body: { plain: "" }, token: null });
    expect(anonymous.status).toBe(401);
    expect(await bodyOf(anonymous)).toMatchObject({ errorCode: "VALIDATION" });
  });
});
