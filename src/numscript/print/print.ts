import { printDensely } from "./densely.ts";
import {
  printAmount,
  printCall,
  type PrintContext,
  printExpression,
  printString,
  STRING_END_MARK,
} from "./expressions.ts";
import { SOURCE_LENGTH_MAX } from "#numscript/limits.ts";
import type {
  Destination,
  Feature,
  KeptOrDestination,
  Program,
  Runtime,
  Share,
  Source,
  Statement,
  VariableDeclaration,
} from "#numscript/syntax/ast.ts";

/**
 * Prints a script in the standard layout: a clause on each line, and two blanks for each level. Invariant: `parseProgram`
 * gives the same program for the text, if it gave the program without a diagnostic.
 */
export function printProgram(program: Program, runtime: Runtime): string {
  const isMachine = runtime === "machine";
  const layout: Layout = { context: { isMachine, followsExpression: false }, indent: "" };
  const lines = [
    ...(program.features.length > 0 ? [printFeatures(program.features)] : []),
    ...(program.variables.length > 0 ? [printVariables(program.variables, layout), ""] : []),
    ...program.statements.map((statement) => printStatement(statement, layout)),
  ];
  const text = separateStrings(endLast(lines), isMachine);
  return text.length <= SOURCE_LENGTH_MAX ? text : printDensely(text, runtime);
}

interface Layout {
  readonly context: PrintContext;
  readonly indent: string;
}

const deeper = ({ context, indent }: Layout): Layout => ({ context, indent: `${indent}  ` });

/** Ends the last line with a line break, unless an asset of the machine that begins with `//` would become a comment. */
function endLast(lines: readonly string[]): string {
  const text = lines.join("\n");
  return text === "" || text.includes("//", text.lastIndexOf("\n") + 1) ? text : `${text}\n`;
}

/**
 * Ends the line after each marked string that a later string on its line would lengthen. For the machine, the line break is
 * within a comment, because line breaks are tokens.
 */
function separateStrings(text: string, isMachine: boolean): string {
  if (!text.includes(STRING_END_MARK)) return text;
  const lineBreak = isMachine ? "/*\n*/" : "\n";
  return text.replaceAll(MARK_BEFORE_STRING, lineBreak).replaceAll(STRING_END_MARK, "");
}

const MARK_BEFORE_STRING = /\r(?=[^\n"]*")/g;

function printFeatures(features: readonly Feature[]): string {
  const names = features.map(({ name }) => printString(`"${name}"`));
  return `#![feature(${names.join(", ")})]`;
}

function printVariables(variables: readonly VariableDeclaration[], layout: Layout): string {
  const { context } = deeper(layout);
  const clauses = variables.map(({ type, name, origin }) =>
    origin === undefined
      ? `${type} $${name}`
      : `${type} $${name} = ${printExpression(origin, context)}`,
  );
  return `vars ${printBlock(clauses, layout)}`;
}

/** Prints clauses between braces, each on a line. */
function printBlock(clauses: readonly string[], { indent }: Layout): string {
  return `{\n${clauses.map((clause) => `${indent}  ${clause}\n`).join("")}${indent}}`;
}

function printStatement(statement: Statement, layout: Layout): string {
  const { context } = layout;
  switch (statement.kind) {
    case "send": {
      const inside = deeper(layout);
      const source = printSource(statement.source, inside);
      const destination = printDestination(statement.destination, inside);
      const sides = `  source = ${source}\n  destination = ${destination}\n`;
      return `send ${printAmount(statement.amount, context)} (\n${sides})`;
    }
    case "save": {
      const account = printExpression(statement.account, context);
      return `save ${printAmount(statement.amount, context)} from ${account}`;
    }
    case "call":
      return printCall(statement.call, context);
    case "print":
      return `print ${printExpression(statement.expression, context)}`;
    case "fail":
      return "fail";
  }
}

function printSource(source: Source, layout: Layout): string {
  const { context } = layout;
  const inside = { ...layout, context: { ...context, followsExpression: false } };
  switch (source.kind) {
    case "account":
      return printAccountSource(source, context);
    case "scaling": {
      const through = printExpression(source.through, inside.context);
      return `${printExpression(source.account, context)} with scaling through ${through}`;
    }
    case "max": {
      const cap = printExpression(source.cap, inside.context);
      return `max ${cap} from ${printSource(source.source, inside)}`;
    }
    case "inOrder":
      return source.sources.length === 0 ? "{}" : printSources(source.sources, inside);
    case "oneOf":
      return `oneof ${printSources(source.sources, inside)}`;
    case "allotment": {
      const within = deeper(inside);
      const clauses = source.branches.map(({ share, source: part }, index) => {
        const previous = source.branches[index - 1]?.source;
        const behind = previous !== undefined && endsInExpression(previous);
        return `${printShare(share, context, behind)} from ${printSource(part, within)}`;
      });
      return printBlock(clauses, inside);
    }
  }
}

function printSources(sources: readonly Source[], layout: Layout): string {
  const { context, indent } = deeper(layout);
  const clauses = sources.map((source, index) => {
    const previous = sources[index - 1];
    const followsExpression = previous !== undefined && endsInExpression(previous);
    return printSource(source, { context: { ...context, followsExpression }, indent });
  });
  return printBlock(clauses, layout);
}

function printAccountSource(
  { account, color, overdraft }: Extract<Source, { kind: "account" }>,
  context: PrintContext,
): string {
  const inside = { ...context, followsExpression: false };
  const name = printExpression(account, context);
  const colored = color === undefined ? name : `${name} \\ ${printExpression(color, inside)}`;
  if (overdraft === undefined) return colored;
  return overdraft.kind === "unbounded"
    ? `${colored} allowing unbounded overdraft`
    : `${colored} allowing overdraft up to ${printExpression(overdraft.limit, inside)}`;
}

function endsInExpression(source: Source): boolean {
  switch (source.kind) {
    case "account":
      return source.overdraft?.kind !== "unbounded";
    case "scaling":
      return true;
    case "max":
      return endsInExpression(source.source);
    case "inOrder":
    case "oneOf":
    case "allotment":
      return false;
  }
}

function printShare(share: Share, context: PrintContext, followsExpression: boolean): string {
  return share.kind === "remaining"
    ? "remaining"
    : printExpression(share.expression, { ...context, followsExpression });
}

function printDestination(destination: Destination, layout: Layout): string {
  const { context } = layout;
  switch (destination.kind) {
    case "account":
      return printExpression(destination.account, context);
    case "inOrder":
    case "oneOf": {
      const within = deeper(layout);
      const clauses = destination.clauses.map(
        ({ cap, target }) =>
          `max ${printExpression(cap, context)} ${printKeptOrDestination(target, within)}`,
      );
      const last = `remaining ${printKeptOrDestination(destination.remaining, within)}`;
      const block = printBlock([...clauses, last], layout);
      return destination.kind === "oneOf" ? `oneof ${block}` : block;
    }
    case "allotment": {
      const within = deeper(layout);
      const clauses = destination.branches.map(({ share, target }, index) => {
        const previous = destination.branches[index - 1]?.target;
        const behind = previous?.kind === "to" && previous.destination.kind === "account";
        return `${printShare(share, context, behind)} ${printKeptOrDestination(target, within)}`;
      });
      return printBlock(clauses, layout);
    }
  }
}

const printKeptOrDestination = (target: KeptOrDestination, layout: Layout): string =>
  target.kind === "kept" ? "kept" : `to ${printDestination(target.destination, layout)}`;
