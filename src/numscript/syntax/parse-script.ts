import {
  type Amount,
  type Feature,
  type Program,
  type Statement,
  unquoted,
  VALUE_TYPES,
  type VariableDeclaration,
} from "./ast.ts";
import { type DiagnosticCode, ScriptError } from "./diagnostics.ts";
import { parseBracket, parseCall, parseExpression, parseOperators } from "./parse-expressions.ts";
import { parseDestination, parseSource } from "./parse-flows.ts";
import { type Parser, rangeOf } from "./token-walk.ts";
import type { Token } from "./tokens.ts";
import { DIAGNOSTICS_MAX, STATEMENTS_MAX, VARIABLES_MAX } from "#numscript/limits.ts";

/**
 * machine: Script = {NL} [Variables NL] Statement {NL Statement} {NL} end
 * interpreter: Script = [Features] [Variables] {Statement} end
 */
export function parseScript(p: Parser): Program {
  p.skipNewlines();
  const features = p.isMachine ? [] : (p.recover(() => parseFeatures(p), isStart) ?? []);
  const variables = p.at("vars") ? (p.recover(() => parseVariables(p), isMovement) ?? []) : [];
  const statements: Statement[] = [];
  while (!p.at("end") && p.diagnostics.length < DIAGNOSTICS_MAX) {
    const statement = p.recover(() => parseLine(p, statements.length), isStart);
    if (statement !== undefined) statements.push(statement);
  }
  if (p.isMachine && statements.length === 0 && p.diagnostics.length === 0) {
    p.recover(() => p.fail("a statement"), isStart);
  }
  return { features, variables, statements };
}

const STATEMENT_STARTS: ReadonlySet<Token["kind"]> = new Set([
  "send",
  "save",
  "print",
  "fail",
  "set_tx_meta",
  "set_account_meta",
  "identifier",
]);

/** Whether the parser can resume at a token after an error. */
const isStart = ({ kind }: Token): boolean => STATEMENT_STARTS.has(kind);
/** Whether the parser can resume at a token after an error in the variables. Their types are identifiers, too, which don't count. */
const isMovement = ({ kind }: Token): boolean =>
  kind !== "identifier" && STATEMENT_STARTS.has(kind);

/** Parses a statement and, for the machine, the single line break before the next statement. */
function parseLine(p: Parser, count: number): Statement {
  if (count >= STATEMENTS_MAX) limit(p, `a script has at most ${STATEMENTS_MAX} statements`);
  const statement = parseStatement(p);
  if (!p.isMachine || p.at("end")) return statement;
  p.expect("newline");
  if (!p.at("newline")) return statement;
  p.skipNewlines();
  if (!p.at("end")) p.fail("the end of the script after a line that only looks empty");
  return statement;
}

/** Features = "#!" "[" "feature" "(" [String {"," String}] ")" "]" */
function parseFeatures(p: Parser): Feature[] {
  if (!p.accept("#!")) return [];
  p.expect("[");
  p.expect("feature");
  p.expect("(");
  const features: Feature[] = [];
  if (!p.at(")")) {
    do {
      const token = p.expect("string");
      features.push({ name: unquoted(token.text), range: { start: token.start, end: token.end } });
    } while (p.accept(","));
  }
  p.expect(")");
  p.expect("]");
  return features;
}

/**
 * machine: Variables = "vars" "{" NL (Declaration NL {NL})+ "}" NL
 * interpreter: Variables = "vars" "{" {Declaration} "}"
 */
function parseVariables(p: Parser): VariableDeclaration[] {
  p.expect("vars");
  p.expect("{");
  p.expectNewline();
  const variables: VariableDeclaration[] = [];
  do {
    if (p.at("}") && !p.isMachine) break;
    if (variables.length >= VARIABLES_MAX)
      limit(p, `a script has at most ${VARIABLES_MAX} variables`);
    variables.push(parseDeclaration(p));
    p.expectNewline();
    p.skipNewlines();
  } while (!p.at("}"));
  p.expect("}");
  p.expectNewline();
  return variables;
}

/** Declaration = Type Variable ["=" Origin] */
function parseDeclaration(p: Parser): VariableDeclaration {
  const type = parseType(p);
  const name = p.expect("variable");
  const origin = p.accept("=") ? (p.isMachine ? parseOrigin(p) : parseExpression(p)) : undefined;
  return {
    type: type.text,
    typeRange: { start: type.start, end: type.end },
    name: name.text.slice(1),
    nameRange: { start: name.start, end: name.end },
    ...(origin === undefined ? {} : { origin }),
    range: p.rangeFrom(type.start),
  };
}

/** Parses a type. The interpreter accepts any identifier, and checks it in the run. */
function parseType(p: Parser): Token {
  return p.at(p.isMachine ? "type" : "identifier")
    ? p.take()
    : p.fail(`a type (${VALUE_TYPES.join(", ")})`);
}

/** machine: Origin = "meta" "(" Expression "," String ")" | "balance" "(" Expression "," Expression ")" */
function parseOrigin(p: Parser) {
  if (!p.at("meta") && !p.at("balance")) p.fail("'meta' or 'balance'");
  return parseCall(p, p.at("meta") ? ["any", "string"] : ["any", "any"]);
}

/** Statement = Send | Save | Call | machine: "print" Expression | "fail" */
function parseStatement(p: Parser): Statement {
  const { kind, start } = p.token;
  switch (kind) {
    case "send":
      return parseSend(p);
    case "save": {
      p.take();
      const amount = parseAmount(p);
      p.expect("from");
      const account = parseExpression(p);
      return { kind, amount, account, range: p.rangeFrom(start) };
    }
    case "print": {
      p.take();
      const expression = parseExpression(p);
      return { kind, expression, range: p.rangeFrom(start) };
    }
    case "fail":
      p.take();
      return { kind, range: p.rangeFrom(start) };
    case "set_tx_meta":
      return { kind: "call", call: parseCall(p, ["string", "any"]), range: p.rangeFrom(start) };
    case "set_account_meta": {
      const call = parseCall(p, ["any", "string", "any"]);
      return { kind: "call", call, range: p.rangeFrom(start) };
    }
    case "identifier":
    case "overdraft": {
      const call = parseCall(p);
      return { kind: "call", call, range: p.rangeFrom(start) };
    }
    default:
      return p.fail("a statement");
  }
}

/**
 * machine: Send = "send" Amount "(" NL (Source NL Destination | Destination NL Source) NL ")"
 * interpreter: Send = "send" Amount "(" Source Destination ")"
 */
function parseSend(p: Parser): Statement {
  const { start } = p.expect("send");
  const amount = parseAmount(p);
  p.expect("(");
  p.expectNewline();
  if (p.isMachine && p.at("destination")) {
    const destination = parseDestinationSide(p);
    p.expectNewline();
    const source = parseSourceSide(p);
    p.expectNewline();
    p.expect(")");
    return { kind: "send", amount, source, destination, range: p.rangeFrom(start) };
  }
  const source = parseSourceSide(p);
  p.expectNewline();
  const destination = parseDestinationSide(p);
  p.expectNewline();
  p.expect(")");
  return { kind: "send", amount, source, destination, range: p.rangeFrom(start) };
}

function parseSourceSide(p: Parser) {
  p.expect("source");
  p.expect("=");
  return parseSource(p, { mayAllot: true });
}

function parseDestinationSide(p: Parser) {
  p.expect("destination");
  p.expect("=");
  return parseDestination(p);
}

/** Amount = Expression | "[" Expression "*" "]" */
function parseAmount(p: Parser): Amount {
  const { start } = p.token;
  if (!p.at("[")) {
    const expression = parseExpression(p);
    return { kind: "exact", expression, range: p.rangeFrom(start) };
  }
  const bracket = parseBracket(p);
  if (bracket.kind === "all") return bracket;
  const expression = parseOperators(p, bracket, 0);
  return { kind: "exact", expression, range: p.rangeFrom(start) };
}

function limit(p: Parser, message: string): never {
  const code: DiagnosticCode = "limit-exceeded";
  throw new ScriptError("syntax", code, { message, range: rangeOf(p.token) });
}
