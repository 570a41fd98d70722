import { describe, expect, test } from "vitest";
import { api, bodyOf, token } from "#test/support/platform/api.ts";

const PATH = "/api/florin/v1/expressions/check";

async function check(body: unknown) {
  const response = await api(PATH, { body });
  return { status: response.status, body: await bodyOf(response) };
}

describe("the check of an expression", () => {
  test("the check of an expression answers what an editor shows, with positions from zero", async () => {
    const plain = 'event.status == "DONE" and\nlen(event.tags) > evnt.n';
    const at = (line: number, from: number, to: number) => ({
      start: { line, character: from },
      end: { line, character: to },
    });

    expect(await check({ plain })).toEqual({
      status: 200,
      body: {
        data: {
          valid: true,
          diagnostics: [
            {
              code: "unknown-name",
              severity: "warning",
              message: "the name evnt is always nil",
              range: at(1, 18, 22),
            },
          ],
          paths: [
            { path: "event.status", ranges: [at(0, 0, 12)] },
            { path: "event.tags", ranges: [at(1, 4, 14)] },
            { path: "evnt.n", ranges: [at(1, 18, 24)] },
          ],
          functions: [{ name: "len", ranges: [at(1, 0, 3)] }],
        },
      },
    });
  });

  test.each([
    ["event.a +", "filter", false, "unexpected-token"],
    ["(".repeat(5000), "filter", false, "limit-exceeded"],
    ["a".repeat(30_000), "variable", false, "limit-exceeded"],
    ['"text"', "filter", true, "not-boolean"],
    ['"text"', "variable", true, undefined],
    ['link(event, "a").b', "variable", true, undefined],
  ])("the check of an expression says what is wrong with %.20s as a %s", async (...row) => {
    const [plain, use, valid, code] = row;
    const { body } = await check({ plain, use });

    expect(body).toMatchObject({ data: { valid } });
    expect(body).toHaveProperty(
      "data.diagnostics",
      code === undefined ? [] : [expect.objectContaining({ code })],
    );
  });

  test("the check of an expression refuses a body without a text, and a token without the scope", async () => {
    expect(await check({ use: "filter" })).toMatchObject({
      status: 400,
      body: { errorCode: "VALIDATION" },
    });
    const other = await api(PATH, { body: { plain: "1" }, token: await token("ledger:write") });
    expect(other.status).toBe(401);
  });
});
