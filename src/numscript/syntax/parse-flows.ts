import type {
  CappedClause,
  Destination,
  DestinationBranch,
  Expression,
  KeptOrDestination,
  Overdraft,
  Share,
  Source,
  SourceBranch,
} from "./ast.ts";
import { ScriptError } from "./diagnostics.ts";
import { parseExpression } from "./parse-expressions.ts";
import type { Parser } from "./token-walk.ts";

/**
 * Source = "max" Expression "from" Source | Block | AccountSource
 *   | interpreter: "oneof" "{" Source+ "}"
 * For the machine, only the source of a whole `send` may be an allotment.
 */
export function parseSource(p: Parser, { mayAllot }: { mayAllot: boolean }): Source {
  p.enter();
  const source = parseSourceOf(p, { mayAllot: mayAllot || !p.isMachine });
  p.leave();
  return source;
}

function parseSourceOf(p: Parser, { mayAllot }: { mayAllot: boolean }): Source {
  const { start, kind } = p.token;
  switch (kind) {
    case "max": {
      p.take();
      const cap = parseExpression(p);
      p.expect("from");
      const source = parseSource(p, { mayAllot: false });
      return { kind, cap, source, range: p.rangeFrom(start) };
    }
    case "oneof": {
      p.take();
      p.expect("{");
      const sources: Source[] = [];
      do sources.push(parseSource(p, { mayAllot: false }));
      while (!p.at("}"));
      p.expect("}");
      return { kind: "oneOf", sources, range: p.rangeFrom(start) };
    }
    case "{":
      return parseSourceBlock(p, { mayAllot });
    default:
      return parseAccountSource(p, parseExpression(p));
  }
}

/**
 * machine: Block = "{" NL (Source NL)+ "}" | "{" NL (Share "from" Source NL)+ "}"
 * interpreter: Block = "{" {Source} "}" | "{" (Share "from" Source)+ "}"
 */
function parseSourceBlock(p: Parser, { mayAllot }: { mayAllot: boolean }): Source {
  const { start } = p.expect("{");
  p.expectNewline();
  if (p.at("}") && !p.isMachine) {
    p.take();
    return { kind: "inOrder", sources: [], range: p.rangeFrom(start) };
  }
  const first = parseFirstInBlock(p);
  if (!("share" in first)) return parseInOrder(p, start, first);
  if (!mayAllot) {
    throw new ScriptError("syntax", "unexpected-token", {
      message: "expected a source, found a share: only the source of a whole 'send' may be divided",
      range: first.share.range,
    });
  }
  const branches = [parseSourceBranch(p, first.share)];
  while (!p.at("}")) branches.push(parseSourceBranch(p, parseShare(p)));
  p.expect("}");
  return { kind: "allotment", branches, range: p.rangeFrom(start) };
}

function parseInOrder(p: Parser, start: number, first: Source): Source {
  const sources = [first];
  p.expectNewline();
  while (!p.at("}")) {
    sources.push(parseSource(p, { mayAllot: false }));
    p.expectNewline();
  }
  p.expect("}");
  return { kind: "inOrder", sources, range: p.rangeFrom(start) };
}

/** Parses a source, or the share that begins an allotment. After an expression, `from` tells that it is a share. */
function parseFirstInBlock(p: Parser): Source | { share: Share } {
  const { start, kind } = p.token;
  if (kind === "remaining") return { share: parseShare(p) };
  if (kind === "max" || kind === "{" || kind === "oneof") {
    return parseSource(p, { mayAllot: false });
  }
  const expression = parseExpression(p);
  return p.at("from")
    ? { share: toShare(p, expression) }
    : parseAccountSource(p, expression, start);
}

function parseSourceBranch(p: Parser, share: Share): SourceBranch {
  p.expect("from");
  const source = parseSource(p, { mayAllot: false });
  p.expectNewline();
  return { share, source, range: p.rangeFrom(share.range.start) };
}

/**
 * machine: AccountSource = Expression ["allowing overdraft up to" Expression | "allowing unbounded overdraft"]
 * interpreter: AccountSource = Expression ["\" Expression] ["allowing" ("overdraft" "up" "to" Expression | "unbounded" "overdraft")]
 *   | Expression "with" "scaling" "through" Expression
 */
function parseAccountSource(
  p: Parser,
  account: Expression,
  start: number = account.range.start,
): Source {
  if (p.accept("with")) {
    p.expect("scaling");
    p.expect("through");
    const through = parseExpression(p);
    return { kind: "scaling", account, through, range: p.rangeFrom(start) };
  }
  const color = p.accept("\\") ? parseExpression(p) : undefined;
  const overdraft = parseOverdraft(p);
  return {
    kind: "account",
    account,
    ...(color === undefined ? {} : { color }),
    ...(overdraft === undefined ? {} : { overdraft }),
    range: p.rangeFrom(start),
  };
}

function parseOverdraft(p: Parser): Overdraft | undefined {
  const { start } = p.token;
  if (p.accept("allowing unbounded overdraft")) {
    return { kind: "unbounded", range: p.rangeFrom(start) };
  }
  if (!p.accept("allowing overdraft up to")) {
    if (!p.accept("allowing")) return undefined;
    if (p.accept("unbounded")) {
      p.expect("overdraft");
      return { kind: "unbounded", range: p.rangeFrom(start) };
    }
    p.expect("overdraft");
    p.expect("up");
    p.expect("to");
  }
  const limit = parseExpression(p);
  return { kind: "upTo", limit, range: p.rangeFrom(start) };
}

/** Share = "remaining" | interpreter: Expression | machine: Fraction | Percentage | Variable */
function parseShare(p: Parser): Share {
  const { start } = p.token;
  if (p.accept("remaining")) return { kind: "remaining", range: p.rangeFrom(start) };
  return toShare(p, parseExpression(p));
}

function toShare(p: Parser, expression: Expression): Share {
  const { kind, range } = expression;
  if (p.isMachine && kind !== "fraction" && kind !== "percentage" && kind !== "variable") {
    throw new ScriptError("syntax", "unexpected-token", {
      message: "expected a share: a portion such as 1/3 or 12.5%, a variable or 'remaining'",
      range,
    });
  }
  return { kind: "portion", expression, range };
}

/**
 * Destination = Expression | "{" (Share Target)+ "}" | Capped | interpreter: "oneof" Capped
 * For the machine, each clause is a line.
 */
export function parseDestination(p: Parser): Destination {
  const { start } = p.token;
  p.enter();
  const destination = parseDestinationOf(p, start);
  p.leave();
  return destination;
}

function parseDestinationOf(p: Parser, start: number): Destination {
  if (p.accept("oneof")) {
    p.expect("{");
    return parseCapped(p, "oneOf", start);
  }
  if (!p.at("{")) {
    return { kind: "account", account: parseExpression(p), range: p.rangeFrom(start) };
  }
  p.take();
  p.expectNewline();
  if (p.at("max")) return parseCapped(p, "inOrder", start);
  const branches: DestinationBranch[] = [];
  do branches.push(parseDestinationBranch(p));
  while (!p.at("}"));
  p.expect("}");
  return { kind: "allotment", branches, range: p.rangeFrom(start) };
}

/** Capped = {"max" Expression Target} "remaining" Target "}" */
function parseCapped(p: Parser, kind: "inOrder" | "oneOf", start: number): Destination {
  const clauses: CappedClause[] = [];
  while (p.at("max")) {
    const clause = p.take();
    const cap = parseExpression(p);
    const target = parseKeptOrDestination(p);
    clauses.push({ cap, target, range: p.rangeFrom(clause.start) });
    p.expectNewline();
  }
  if (!p.accept("remaining")) p.fail("'max' or 'remaining'");
  const remaining = parseKeptOrDestination(p);
  p.expectNewline();
  p.expect("}");
  return { kind, clauses, remaining, range: p.rangeFrom(start) };
}

function parseDestinationBranch(p: Parser): DestinationBranch {
  const share = parseShare(p);
  const target = parseKeptOrDestination(p);
  const branch = { share, target, range: p.rangeFrom(share.range.start) };
  p.expectNewline();
  return branch;
}

/** Target = "to" Destination | "kept" */
function parseKeptOrDestination(p: Parser): KeptOrDestination {
  const { start } = p.token;
  if (p.accept("kept")) return { kind: "kept", range: p.rangeFrom(start) };
  if (!p.accept("to")) p.fail("'to' or 'kept'");
  const destination = parseDestination(p);
  return { kind: "to", destination, range: p.rangeFrom(start) };
}
