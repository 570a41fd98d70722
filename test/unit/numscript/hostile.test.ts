import { describe, expect, test } from "vitest";
import type { Runtime } from "#numscript";
import { printDiagnostics, printPositions } from "#numscript";
import { execute } from "#test/support/numscript/cases.ts";
import { timed } from "#test/support/numscript/cpu-time.ts";

const RUNTIMES: readonly Runtime[] = ["machine", "experimental-interpreter"];

const send = (source: string, destination = "@x"): string =>
  `send [C 1] (\n  source = ${source}\n  destination = ${destination}\n)\n`;

function codeOf(...given: Parameters<typeof execute>): string {
  const result = execute(...given);
  return result.ok ? "ok" : (result.failure.diagnostics[0]?.code ?? "");
}

describe("a text of any length", () => {
  test("a text of any length with escapes and many long characters is decoded", () => {
    const text = "€".repeat(30_000);
    const result = execute(
      `${send("@world")}set_tx_meta("k", "\\n${text}\\xe2\\x82\\xac")\n`,
      "machine",
    );
    expect(result.ok && result.output.metadata.get("k")).toBe(`\n${text}€`);
  });

  test("a text of any length may not end before its last quote", () => {
    const source = `${send("@world")}set_tx_meta("k", "a\\\\"b")\n`;
    expect(codeOf(source, "machine")).toBe("invalid-escape");
  });

  test.each(RUNTIMES)(
    "a text of any length is refused as a variable beyond its limit, for %s",
    (runtime) => {
      const declare = (type: string) => `vars {\n  ${type} $v\n}\n`;
      const long = "a:".repeat(4_000_000);
      const account = `${declare("account")}${send("@world", "$v")}`;
      expect(codeOf(account, runtime, { variables: { v: `${long}a` } })).toBe("invalid-variable");
      const text = `${declare("string")}${send("@world")}set_tx_meta("k", $v)\n`;
      expect(codeOf(text, runtime, { variables: { v: "x".repeat(65_537) } })).toBe(
        "invalid-variable",
      );
      expect(codeOf(text, runtime, { variables: { v: "x".repeat(65_536) } })).toBe("ok");
    },
  );

  test("a text of any length is refused as an account that variables make", () => {
    const flags = ["experimental-account-interpolation"];
    const source = `vars { string $v }\n${send("@world", "@a:$v:$v:$v")}`;
    const given = { flags, variables: { v: "b:".repeat(30_000).slice(0, -1) } };
    expect(codeOf(source, "experimental-interpreter", given)).toBe("invalid-account");
  });

  test.each(RUNTIMES)("a text of any length is refused as a name in a script for %s", (runtime) => {
    expect(codeOf(send("@world", `@${"a".repeat(1025)}`), runtime)).toBe("limit-exceeded");
    expect(codeOf(send("@world").replace("C", "C".repeat(1025)), runtime)).toBe("limit-exceeded");
  });

  test.each(RUNTIMES)(
    "a text of any length counts as work where it is written, for %s",
    (runtime) => {
      const sets = Array.from({ length: 3000 }, (_, index) => `set_tx_meta("k${index}", $v)`);
      const source = `vars {\n  string $v\n}\n${send("@world")}${sets.join("\n")}\n`;
      expect(codeOf(source, runtime, { variables: { v: "x".repeat(60_000) } })).toBe(
        "limit-exceeded",
      );
    },
  );
});

test("a source may have thousands of accounts", () => {
  const accounts = Array.from({ length: 4900 }, (_, index) => `    @a${index}`).join("\n");
  const source = `send [C *] (\n  source = {\n${accounts}\n  }\n  destination = @x\n)`;
  for (const runtime of RUNTIMES) {
    const result = execute(source, runtime, { balances: { a4899: { C: 1 } } });
    expect(result.ok && result.output.postings.at(-1)).toMatchObject({ source: "a4899" });
  }
});

test("comments that never close take no longer than one", () => {
  const { cpuMs } = timed(() => {
    for (const runtime of RUNTIMES) {
      for (const piece of ["/*", "/*/", "//", "/* */ /*", '"'])
        codeOf(piece.repeat(30_000), runtime);
    }
  });
  expect(cpuMs).toBeLessThan(5000);
});

test("the places of many mistakes in many lines are found at once", () => {
  const source = `${"\n".repeat(90_000)}${"? ".repeat(100)}`;
  const result = execute(source, "experimental-interpreter");
  const { diagnostics } = result.ok ? { diagnostics: [] } : result.failure;
  const { cpuMs } = timed(() => {
    expect(printDiagnostics(source, diagnostics)).toContain("90001 | ? ?");
    expect(printPositions(source, diagnostics)).toContain("90001:1-90001:2 unexpected-character");
  });
  expect(cpuMs).toBeLessThan(1000);
});

test("saving zero changes nothing for the interpreter, whatever the balance is", () => {
  const overdraw = send("@a allowing overdraft up to [C 10]").replace("[C 1]", "[C 10]");
  const source = `save [C 0] from @a\n${overdraw}`.repeat(3);
  expect(codeOf(source, "experimental-interpreter")).toBe("missing-funds");
});
