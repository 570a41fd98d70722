import * as fc from "fast-check";
import {
  type AccountPiece,
  type Amount,
  type Call,
  type CappedClause,
  type Destination,
  type Expression,
  type KeptOrDestination,
  type Program,
  type Runtime,
  type Share,
  type Source,
  type Statement,
  VALUE_TYPES,
  type Variable,
  type VariableDeclaration,
} from "#numscript/syntax/ast.ts";
import { INTERPRETER_WORDS } from "#numscript/syntax/tokens.ts";

/** Programs of any shape that the grammar of a runtime allows. Most of them make no sense, but all of them parse. */
export const syntaxOf = (runtime: Runtime): fc.Arbitrary<Program> =>
  runtime === "machine" ? machineProgram : interpreterProgram;

/** A program as text, without the ranges of its parts, for comparisons. */
export const withoutRanges = (program: Program): string =>
  JSON.stringify(program, (key, value: unknown) => {
    if (key === "range" || key.endsWith("Range")) return undefined;
    return typeof value === "bigint" ? `${value}n` : value;
  });

const range = { start: 0, end: 0 };
const DEPTH = { depthSize: "small", maxDepth: 5 } as const;
const matching = (pattern: RegExp): fc.Arbitrary<string> => fc.stringMatching(pattern);
const few = <T>(items: fc.Arbitrary<T>, minLength = 0): fc.Arbitrary<T[]> =>
  fc.array(items, { minLength, maxLength: 4 });

const name = matching(/^[a-z_][a-z0-9_]{0,4}$/);
const variable: fc.Arbitrary<Variable> = name.map((name) => ({ kind: "variable", name, range }));
const segment = matching(/^[a-zA-Z0-9_-]{1,4}$/);
const accountName = few(segment, 1).map((segments) => segments.join(":"));
const natural = fc.oneof(
  fc.bigInt({ min: 0n, max: 1000n }),
  fc.bigInt({ min: 0n, max: 10n ** 40n }),
);

const character = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((text) => !/["\r\n]/.test(text));
/** A literal whose last piece may be a backslash before the closing quote. */
const literal = fc
  .array(fc.oneof(character, fc.constantFrom('\\"', "\\\\", "\\", "//", "/*", "é", "𝄞", " ")), {
    maxLength: 5,
  })
  .map((pieces) => `"${pieces.join("")}"`);

const account = accountName.map((text): Expression => ({ kind: "account", pieces: [text], range }));
const number = natural.map((value): Expression => ({ kind: "number", value, range }));
const string = literal.map((literal): Expression => ({ kind: "string", literal, range }));
const percentage = fc
  .record({ digits: natural, decimals: fc.nat(8) })
  .map((fields): Expression => ({ kind: "percentage", ...fields, range }));
const exactly = (expression: Expression): Amount => ({ kind: "exact", expression, range });
const all = (asset: Expression): Amount => ({ kind: "all", asset, range });
const remaining: Share = { kind: "remaining", range };
const portion = (expression: Expression): Share => ({ kind: "portion", expression, range });

/** Assets that the machine can read, without fractions, numbers and comments, which look like assets. */
const machineAsset = fc
  .oneof(matching(/^[A-Z]{1,3}(\/[0-9])?$/), matching(/^[A-Z/0-9]{1,5}$/))
  .filter((name) => !/^[0-9]+(\/[0-9]+)?$/.test(name) && !name.startsWith("//"))
  .map((name): Expression => ({ kind: "asset", name, range }));
const fraction = fc
  .record({ numerator: natural, denominator: natural })
  .map((fields): Expression => ({ kind: "fraction", ...fields, range }));

/** Expressions of the machine. It has no parentheses, so a right operand is never an operation. */
const { machineExpression } = fc.letrec<{ machineExpression: Expression; operand: Expression }>(
  (tie) => ({
    machineExpression: fc.oneof(
      DEPTH,
      tie("operand"),
      fc
        .record({
          operator: fc.constantFrom("+" as const, "-" as const),
          left: tie("machineExpression"),
          right: tie("operand"),
        })
        .map((fields): Expression => ({ kind: "binary", ...fields, range })),
    ),
    operand: fc.oneof(
      DEPTH,
      fc.oneof(variable, account, machineAsset, number, string, percentage, fraction),
      fc
        .record({ asset: tie("machineExpression"), amount: number })
        .map((fields): Expression => ({ kind: "monetary", ...fields, range })),
    ),
  }),
);

const identifier = matching(/^[a-z][a-z_]{0,5}$/).filter(
  (word) => !INTERPRETER_WORDS.some((keyword) => keyword === word),
);
const pieces = few(fc.oneof<fc.Arbitrary<AccountPiece>[]>(segment, variable), 1).map(
  (pieces): readonly AccountPiece[] =>
    pieces.every((piece) => typeof piece === "string") ? [pieces.join(":")] : pieces,
);
const interpreterPrimary = fc.oneof(
  variable,
  pieces.map((pieces): Expression => ({ kind: "account", pieces, range })),
  matching(/^[A-Z][A-Z0-9]{0,3}(\/[0-9])?$/).map((name): Expression => ({
    kind: "asset",
    name,
    range,
  })),
  number,
  string,
  percentage,
);

const { interpreterExpression, call } = fc.letrec<{
  interpreterExpression: Expression;
  call: Call;
}>((tie) => ({
  interpreterExpression: fc.oneof(
    DEPTH,
    interpreterPrimary,
    fc
      .record({ asset: tie("interpreterExpression"), amount: tie("interpreterExpression") })
      .map((fields): Expression => ({ kind: "monetary", ...fields, range })),
    fc
      .record({
        operator: fc.constantFrom("+" as const, "-" as const, "/" as const),
        left: tie("interpreterExpression"),
        right: tie("interpreterExpression"),
      })
      .map((fields): Expression => ({ kind: "binary", ...fields, range })),
    tie("interpreterExpression").map((operand): Expression => ({
      kind: "negation",
      operand,
      range,
    })),
    tie("call"),
  ),
  call: fc
    .record({
      name: fc.oneof(identifier, fc.constant("overdraft")),
      arguments: few(tie("interpreterExpression")),
    })
    .map((fields): Call => ({ kind: "call", ...fields, nameRange: range, range })),
}));

const absent = fc.constant(undefined);
const optionally = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(absent, value);

interface Grammar {
  readonly expression: fc.Arbitrary<Expression>;
  readonly share: fc.Arbitrary<Share>;
  readonly isMachine: boolean;
}

function accountSources({ expression, isMachine }: Grammar): fc.Arbitrary<Source> {
  const limit = expression.map((limit) => ({ kind: "upTo" as const, limit, range }));
  const unbounded = fc.constant({ kind: "unbounded" as const, range });
  const plain = fc
    .record({
      account: expression,
      color: isMachine ? absent : optionally(expression),
      overdraft: optionally(fc.oneof(limit, unbounded)),
    })
    .map(({ account, color, overdraft }): Source => ({
      kind: "account",
      account,
      ...(color === undefined ? {} : { color }),
      ...(overdraft === undefined ? {} : { overdraft }),
      range,
    }));
  const scaling = fc
    .record({ account: expression, through: expression })
    .map((fields): Source => ({ kind: "scaling", ...fields, range }));
  return isMachine ? plain : fc.oneof(plain, plain, scaling);
}

/** Sources of a grammar. The machine allows allotments only at the top. */
function sourcesOf(grammar: Grammar): fc.Arbitrary<Source> {
  const { expression, share, isMachine } = grammar;
  const { source, allotment } = fc.letrec<{ source: Source; allotment: Source }>((tie) => {
    const shapes = [
      accountSources(grammar),
      fc
        .record({ cap: expression, source: tie("source") })
        .map((fields): Source => ({ kind: "max", ...fields, range })),
      few(tie("source"), isMachine ? 1 : 0).map((sources): Source => ({
        kind: "inOrder",
        sources,
        range,
      })),
    ];
    const further = [
      few(tie("source"), 1).map((sources): Source => ({ kind: "oneOf", sources, range })),
      tie("allotment"),
    ];
    return {
      source: fc.oneof(DEPTH, ...shapes, ...(isMachine ? [] : further)),
      allotment: few(fc.record({ share, source: tie("source"), range: fc.constant(range) }), 1).map(
        (branches): Source => ({ kind: "allotment", branches, range }),
      ),
    };
  });
  return fc.oneof(source, allotment);
}

function destinationsOf({ expression, share, isMachine }: Grammar): fc.Arbitrary<Destination> {
  return fc.letrec<{ destination: Destination; target: KeptOrDestination; clause: CappedClause }>(
    (tie) => {
      const capped = (kind: "inOrder" | "oneOf", minLength: number) =>
        fc
          .record({ clauses: few(tie("clause"), minLength), remaining: tie("target") })
          .map((fields): Destination => ({ kind, ...fields, range }));
      const shapes = [
        expression.map((account): Destination => ({ kind: "account", account, range })),
        capped("inOrder", 1),
        few(fc.record({ share, target: tie("target"), range: fc.constant(range) }), 1).map(
          (branches): Destination => ({ kind: "allotment", branches, range }),
        ),
      ];
      return {
        destination: fc.oneof(DEPTH, ...shapes, ...(isMachine ? [] : [capped("oneOf", 0)])),
        target: fc.oneof(
          fc.constant<KeptOrDestination>({ kind: "kept", range }),
          tie("destination").map((destination): KeptOrDestination => ({
            kind: "to",
            destination,
            range,
          })),
        ),
        clause: fc.record({ cap: expression, target: tie("target"), range: fc.constant(range) }),
      };
    },
  ).destination;
}

function statementsOf(grammar: Grammar): fc.Arbitrary<Statement> {
  const { expression } = grammar;
  const amount = fc.oneof(expression.map(exactly), expression.map(all));
  const send = fc
    .record({ amount, source: sourcesOf(grammar), destination: destinationsOf(grammar) })
    .map((fields): Statement => ({ kind: "send", ...fields, range }));
  const save = fc
    .record({ amount, account: expression })
    .map((fields): Statement => ({ kind: "save", ...fields, range }));
  return fc.oneof(send, save, ...(grammar.isMachine ? machineStatements : [callOf(call)]));
}

const callOf = (call: fc.Arbitrary<Call>): fc.Arbitrary<Statement> =>
  call.map((call): Statement => ({ kind: "call", call, range }));
const named = (name: string, values: readonly fc.Arbitrary<Expression>[]): fc.Arbitrary<Call> =>
  fc
    .tuple(...values)
    .map((values): Call => ({ kind: "call", name, arguments: values, nameRange: range, range }));

const machineStatements = [
  callOf(named("set_tx_meta", [string, machineExpression])),
  callOf(named("set_account_meta", [machineExpression, string, machineExpression])),
  machineExpression.map((expression): Statement => ({ kind: "print", expression, range })),
  fc.constant<Statement>({ kind: "fail", range }),
];

function declarationsOf(
  type: fc.Arbitrary<string>,
  origin: fc.Arbitrary<Expression>,
): fc.Arbitrary<VariableDeclaration[]> {
  const declaration = fc
    .record({ type, name, origin: optionally(origin) })
    .map(({ type, name, origin }) => ({
      type,
      typeRange: range,
      name,
      nameRange: range,
      ...(origin === undefined ? {} : { origin }),
      range,
    }));
  return few(declaration);
}

const machineProgram: fc.Arbitrary<Program> = fc.record({
  features: fc.constant([]),
  variables: declarationsOf(
    fc.constantFrom(...VALUE_TYPES),
    fc.oneof(
      named("meta", [machineExpression, string]),
      named("balance", [machineExpression, machineExpression]),
    ),
  ),
  statements: few(
    statementsOf({
      isMachine: true,
      expression: machineExpression,
      share: fc.oneof(
        fc.constant(remaining),
        fc.oneof(fraction, percentage, variable).map(portion),
      ),
    }),
    1,
  ),
});

const interpreterProgram: fc.Arbitrary<Program> = fc.record({
  features: few(literal.map((text) => ({ name: text.slice(1, -1), range }))),
  variables: declarationsOf(identifier, interpreterExpression),
  statements: few(
    statementsOf({
      isMachine: false,
      expression: interpreterExpression,
      share: fc.oneof(fc.constant(remaining), interpreterExpression.map(portion)),
    }),
  ),
});
