import { expect, test } from "vitest";
import { SOURCE_LENGTH_MAX } from "#numscript/limits.ts";
import { printProgram } from "#numscript/print/print.ts";
import type { Runtime } from "#numscript/syntax/ast.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";
import { withoutRanges } from "#test/support/numscript/syntax.ts";

/** Prints a script. Asserts that the printed script parses to the same tree and prints as itself. */
function print(script: string, runtime: Runtime): string {
  const { program, diagnostics } = parseProgram(script, runtime);
  expect(diagnostics).toEqual([]);
  const text = printProgram(program, runtime);
  const again = parseProgram(text, runtime);
  expect(again.diagnostics).toEqual([]);
  expect(withoutRanges(again.program)).toBe(withoutRanges(program));
  expect(printProgram(again.program, runtime)).toBe(text);
  return text;
}

const MACHINE = `vars {
  account $user
  portion $fee = meta(@settings, "fee")
  monetary $held = balance($user, USD/2)
}

send [USD/2 100] + $held - [USD/2 1] (
  source = {
    1/3 from {
      max [USD/2 50] from $user allowing overdraft up to [USD/2 100]
      @bank allowing unbounded overdraft
    }
    remaining from @world
  }
  destination = {
    12.50% kept
    $fee to {
      max [USD/2 10] to @fees
      max [USD/2 20] kept
      remaining to @rest
    }
    remaining to @x
  }
)
send [USD/2 *] (
  source = max [USD/2 5] from {
    @a
    @b
  }
  destination = @x
)
save [USD/2 *] from $user
set_tx_meta("kind", "a \\"sale\\"")
set_account_meta($user, "n", 1 + 2)
print $held
fail
`;

const INTERPRETER = `#![feature("experimental-oneof", "experimental-asset-colors")]
vars {
  account $user
  number $n = 1 + 2
}

send [USD/2 -(1 + $n)] (
  source = {
    @users:$user:main \\ "RED" allowing overdraft up to [USD/2 $n]
    oneof {
      @a with scaling through @b
      {}
    }
    {
      1/$n from @a
      (1 - $n) / 3 from max [USD/2 1] from @b allowing unbounded overdraft
      remaining from @c
    }
  }
  destination = oneof {
    max -[USD/2 1] - -[USD/2 5] to @x
    remaining kept
  }
)
set_tx_meta("k", overdraft(@a, USD/2))
`;

test("the printer prints a script in the layout that people write", () => {
  expect(print(MACHINE, "machine")).toBe(MACHINE);
  expect(print(INTERPRETER, "experimental-interpreter")).toBe(INTERPRETER);
});

test("the printer prints a script without its layout and comments", () => {
  const script = `\n\n/* a */ vars  {\n\n account $a\n\n}\n// sends\nsend [C 007](\ndestination=$a\nsource={\n@b\n}\n)\n\n`;
  const text = `vars {\n  account $a\n}\n\nsend [C 7] (\n  source = {\n    @b\n  }\n  destination = $a\n)\n`;

  expect(print(script, "machine")).toBe(text);
  expect(
    print(
      "#![feature()] vars { } send [C 1_0] ( source=@a :b destination=@c )",
      "experimental-interpreter",
    ),
  ).toBe("send [C 10] (\n  source = @a:b\n  destination = @c\n)\n");
  expect(print("", "experimental-interpreter")).toBe("");
});

test("the printer keeps parentheses where a minus would be read as an operator, and only there", () => {
  const script = `send [(C - D) (-1) + (2 / 3)] (
    source = { @a (-@b) { (-@c) } (-@d) max [C 1] from @e (-@f) @g allowing unbounded overdraft (-@h) }
    destination = { 1/2 to @a (-1/2) to @b ((1)/2) to { 1 kept } (-1) to @c (-1) kept (-1) to @d }
  ) set_tx_meta("k", (1 + 2) - (3 - 4) - -(5 + 6))`;

  expect(print(script, "experimental-interpreter")).toBe(`send [(C - D) -1 + 2/3] (
  source = {
    @a
    (-@b)
    {
      -@c
    }
    -@d
    max [C 1] from @e
    (-@f)
    @g allowing unbounded overdraft
    -@h
  }
  destination = {
    1/2 to @a
    (-1) / 2 to @b
    1/2 to {
      1 kept
    }
    -1 to @c
    (-1) kept
    -1 to @d
  }
)
set_tx_meta("k", 1 + 2 - (3 - 4) - -(5 + 6))
`);
});

test("the printer keeps a string that ends with a backslash apart from later quotes", () => {
  expect(print('set_tx_meta("a\\\\"\n, "b")', "experimental-interpreter")).toBe(
    'set_tx_meta("a\\\\"\n, "b")\n',
  );
  expect(print('set_tx_meta("a\\" /*\n*/, "b\\\\")', "machine")).toBe(
    'set_tx_meta("a\\"/*\n*/, "b\\\\")\n',
  );
  expect(print('#![feature("a\\"\n,"b")]', "experimental-interpreter")).toBe(
    '#![feature("a\\"\n, "b")]\n',
  );
});

test("the printer keeps assets of the machine from becoming fractions and comments", () => {
  expect(print("print [5/  2]", "machine")).toBe("print [5/  2]\n");
  expect(print("print [A5/ 2] + [1/2/ 3]", "machine")).toBe("print [A5/ 2] + [1/2/ 3]\n");
  // With a line break after it, the asset `//A` would be a comment.
  expect(print("fail\nprint //A", "machine")).toBe("fail\nprint //A");
  expect(print("send [/ *] (\nsource = @a\ndestination = @b\n)", "machine")).toContain("[/ *]");
});

test("the printer leaves blanks out where indentation makes a script too long", () => {
  const accounts = Array.from({ length: 3000 }, (_, index) => `@account:${index}`);
  const nest = (innermost: string, lineBreak: string): string =>
    `${`{${lineBreak}`.repeat(90)}${innermost}${`${lineBreak}}`.repeat(90)}`;
  const send = (source: string, lineBreak: string): string =>
    ["send [C 1] (", `source = ${source}`, "destination = @x", ")"].join(lineBreak);

  const machine = print(send(nest(accounts.join("\n"), "\n"), "\n"), "machine");
  const interpreter = print(send(nest(accounts.join(""), ""), " "), "experimental-interpreter");
  expect(machine.length).toBeLessThan(SOURCE_LENGTH_MAX);
  expect(interpreter.length).toBeLessThan(SOURCE_LENGTH_MAX);
  expect(interpreter).toContain("{{@account:0@account:1@");
});
