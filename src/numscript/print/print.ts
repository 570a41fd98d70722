import { printDensely } from "./densely.ts";
import {
  type Place,
  printAmount,
  printCall,
  printExpression,
  printString,
  STRING_END_MARK,
} from "./expressions.ts";
import { SOURCE_LENGTH_MAX } from "#numscript/limits.ts";
import type {
  Destination,
  Feature,
  Program,
  Runtime,
  Share,
  Source,
  Statement,
  Target,
  VariableDeclaration,
} from "#numscript/syntax/ast.ts";

/**
 * Writes a script in the one layout that all scripts can have: a clause a line, two blanks for each level. Law: for a
 * program that `parseProgram` has read without a diagnostic, `parseProgram` reads the same program from the text.
 */
export function printProgram(program: Program, runtime: Runtime): string {
  const isMachine = runtime === "machine";
  const layout: Layout = { place: { isMachine, followsExpression: false }, indent: "" };
  const lines = [
    ...(program.features.length > 0 ? [printFeatures(program.features)] : []),
    ...(program.variables.length > 0 ? [printVariables(program.variables, layout), ""] : []),
    ...program.statements.map((statement) => printStatement(statement, layout)),
  ];
  const text = separateStrings(endLast(lines), isMachine);
  return text.length <= SOURCE_LENGTH_MAX ? text : printDensely(text, runtime);
}

interface Layout {
  readonly place: Place;
  readonly indent: string;
}

const deeper = ({ place, indent }: Layout): Layout => ({ place, indent: `${indent}  ` });

/** With a line break, unless that would make a comment of an asset of the machine that begins with `//`. */
function endLast(lines: readonly string[]): string {
  const text = lines.join("\n");
  return text === "" || text.includes("//", text.lastIndexOf("\n") + 1) ? text : `${text}\n`;
}

/**
 * Ends the line behind each string that a later one on its line would lengthen. For the machine only a comment can hold
 * a line break there.
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
  const { place } = deeper(layout);
  const clauses = variables.map(({ type, name, origin }) =>
    origin === undefined
      ? `${type} $${name}`
      : `${type} $${name} = ${printExpression(origin, place)}`,
  );
  return `vars ${printBlock(clauses, layout)}`;
}

/** Clauses between braces, a line for each. */
function printBlock(clauses: readonly string[], { indent }: Layout): string {
  return `{\n${clauses.map((clause) => `${indent}  ${clause}\n`).join("")}${indent}}`;
}

function printStatement(statement: Statement, layout: Layout): string {
  const { place } = layout;
  switch (statement.kind) {
    case "send": {
      const inside = deeper(layout);
      const source = printSource(statement.source, inside);
      const destination = printDestination(statement.destination, inside);
      const sides = `  source = ${source}\n  destination = ${destination}\n`;
      return `send ${printAmount(statement.amount, place)} (\n${sides})`;
    }
    case "save": {
      const account = printExpression(statement.account, place);
      return `save ${printAmount(statement.amount, place)} from ${account}`;
    }
    case "call":
      return printCall(statement.call, place);
    case "print":
      return `print ${printExpression(statement.expression, place)}`;
    case "fail":
      return "fail";
  }
}

function printSource(source: Source, layout: Layout): string {
  const { place } = layout;
  const inside = { ...layout, place: { ...place, followsExpression: false } };
  switch (source.kind) {
    case "account":
      return printAccountSource(source, place);
    case "scaling": {
      const through = printExpression(source.through, inside.place);
      return `${printExpression(source.account, place)} with scaling through ${through}`;
    }
    case "max": {
      const cap = printExpression(source.cap, inside.place);
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
        return `${printShare(share, place, behind)} from ${printSource(part, within)}`;
      });
      return printBlock(clauses, inside);
    }
  }
}

function printSources(sources: readonly Source[], layout: Layout): string {
  const { place, indent } = deeper(layout);
  const clauses = sources.map((source, index) => {
    const previous = sources[index - 1];
    const followsExpression = previous !== undefined && endsInExpression(previous);
    return printSource(source, { place: { ...place, followsExpression }, indent });
  });
  return printBlock(clauses, layout);
}

function printAccountSource(
  { account, color, overdraft }: Extract<Source, { kind: "account" }>,
  place: Place,
): string {
  const inside = { ...place, followsExpression: false };
  const name = printExpression(account, place);
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

function printShare(share: Share, place: Place, followsExpression: boolean): string {
  return share.kind === "remaining"
    ? "remaining"
    : printExpression(share.expression, { ...place, followsExpression });
}

function printDestination(destination: Destination, layout: Layout): string {
  const { place } = layout;
  switch (destination.kind) {
    case "account":
      return printExpression(destination.account, place);
    case "inOrder":
    case "oneOf": {
      const within = deeper(layout);
      const clauses = destination.clauses.map(
        ({ cap, target }) => `max ${printExpression(cap, place)} ${printTarget(target, within)}`,
      );
      const last = `remaining ${printTarget(destination.remaining, within)}`;
      const block = printBlock([...clauses, last], layout);
      return destination.kind === "oneOf" ? `oneof ${block}` : block;
    }
    case "allotment": {
      const within = deeper(layout);
      const clauses = destination.branches.map(({ share, target }, index) => {
        const previous = destination.branches[index - 1]?.target;
        const behind = previous?.kind === "to" && previous.destination.kind === "account";
        return `${printShare(share, place, behind)} ${printTarget(target, within)}`;
      });
      return printBlock(clauses, layout);
    }
  }
}

const printTarget = (target: Target, layout: Layout): string =>
  target.kind === "kept" ? "kept" : `to ${printDestination(target.destination, layout)}`;
