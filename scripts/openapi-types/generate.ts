import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

/**
 * Writes the types of an OpenAPI document: `generate.ts DOCUMENT OUTPUT`. An integer with the format `bigint` gets the type `Integer`,
 * because a reader of JSON makes a number of a small one and a bigint of a large one.
 *
 * The script is a workspace, because its compiler is older than the project's: TypeScript 7 has no interface for generators.
 */
const [documentPath = "", outputPath = ""] = process.argv.slice(2);

const INTEGER = ts.factory.createTypeReferenceNode("Integer");

const nodes = await openapiTS(readFileSync(documentPath, "utf8"), {
  transform: ({ format }) => (format === "bigint" ? INTEGER : undefined),
  inject: "export type Integer = number | bigint;",
  defaultNonNullable: false,
});
writeFileSync(outputPath, astToString(nodes));
