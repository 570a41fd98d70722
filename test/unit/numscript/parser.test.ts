import { describe, expect, test } from "vitest";
import { parseProgram } from "#numscript/syntax/parser.ts";

const problemsOf = (source: string) => parseProgram(source, "machine").diagnostics;

describe("the parser for the machine", () => {
  test.each(["number", "string", "asset", "account", "monetary", "portion"])(
    "the parser for the machine parses the word %s as a type and never as a value",
    (word) => {
      expect(problemsOf(`vars {\n  ${word} $v\n}\nprint $v`)).toEqual([]);
      for (const script of [`print ${word}`, `send${word} [C 1] (`, `save ${word} from @a`]) {
        expect(problemsOf(script).map(({ code }) => code)).toContain("unexpected-token");
      }
    },
  );

  test("the parser for the machine needs no space between words", () => {
    const script =
      "send[C 10](\nsource=max[C 5]from@a\ndestination={\nmax[C 1]to@b\nremainingkept\n}\n)";
    expect(problemsOf(script)).toEqual([]);
  });

  test("the parser for the machine finds the mistakes of several statements", () => {
    const script =
      "send [C 1] (\n  source = 7 8\n  destination = @a\n)\nsave [C] from @a\nset_tx_meta(1, 2)";
    expect(problemsOf(script).map(({ message }) => message)).toEqual([
      "expected a line break, found '8'",
      "expected a number or '*', found ']'",
      "expected a string, found '1'",
    ]);
  });
});
