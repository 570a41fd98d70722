import {
  invalid,
  isJsonObject,
  type JsonObject,
  memberOf,
  schemaViolation,
  shown,
  textMember,
} from "./failures.ts";
import { TEMPLATE_NAME_LENGTH_MAX, TEMPLATES_MAX } from "./limits.ts";
import { compileScript, printDiagnostics, printPositions, type Runtime } from "#numscript";
import { AppError } from "#platform/errors.ts";

/** A named script, which creates transactions. */
export interface TransactionTemplate {
  readonly description: string;
  /** Source text in Numscript. */
  readonly script: string;
  /** Undefined for the runtime of the deployment. */
  readonly runtime: Runtime | undefined;
}

export type TransactionTemplates = ReadonlyMap<string, TransactionTemplate>;

/** Decodes templates from JSON, without checking their scripts. Throws `VALIDATION`. */
export function decodeTemplates(value: unknown): TransactionTemplates {
  if (!isJsonObject(value ?? {})) {
    throw invalid("invalid schema: the transaction templates must be an object", "transactions");
  }
  const entries = Object.entries(value ?? {});
  if (entries.length > TEMPLATES_MAX) {
    throw invalid(`invalid schema: more than ${TEMPLATES_MAX} transaction templates`);
  }
  return new Map(entries.map(([name, template]) => [name, decodeTemplate(name, template)]));
}

function decodeTemplate(name: string, value: unknown): TransactionTemplate {
  const place = `transactions.${name}`;
  if (name.length > TEMPLATE_NAME_LENGTH_MAX) {
    const most = `more than ${TEMPLATE_NAME_LENGTH_MAX} characters`;
    throw invalid(`invalid schema: the name of a template has ${most}`, place);
  }
  const template = value ?? {};
  if (!isJsonObject(template)) {
    throw invalid(`invalid schema: invalid template ${shown(name)}: expected an object`, place);
  }
  return {
    description: textMember(template, "description", place) ?? "",
    script: textMember(template, "script", place) ?? "",
    runtime: decodeRuntime(template, name),
  };
}

function decodeRuntime(template: JsonObject, name: string): Runtime | undefined {
  const runtime = memberOf(template, "runtime");
  if (runtime === undefined || runtime === "") return undefined;
  if (runtime === "machine" || runtime === "experimental-interpreter") return runtime;
  throw invalid(
    `invalid schema: invalid template ${shown(name)}: unexpected runtime, expected one of \`experimental-interpreter\`, \`machine\``,
    `transactions.${name}.runtime`,
  );
}

/** Throws `VALIDATION` if a script does not compile. `runtime` is the runtime of templates that do not name one. */
export function assertScripts(templates: TransactionTemplates, runtime: Runtime): void {
  for (const [name, template] of templates) {
    const { script } = template;
    const compiled = compileScript(script, template.runtime ?? runtime);
    if (compiled.ok) continue;
    const { diagnostics } = compiled.failure;
    const positions = printPositions(script, diagnostics);
    throw new AppError(
      "VALIDATION",
      `invalid schema: invalid template ${shown(name)}: ${printDiagnostics(script, diagnostics)}`,
      positions === "" ? {} : { details: positions },
    );
  }
}

export const renderTemplates = (templates: TransactionTemplates): JsonObject =>
  Object.fromEntries([...templates].map(([name, it]) => [name, renderTemplate(it)]));

const renderTemplate = ({ description, script, runtime }: TransactionTemplate): JsonObject => ({
  description,
  script,
  ...(runtime === undefined ? {} : { runtime }),
});

/** The part of a request for a transaction that chooses its template and runtime. */
export interface TemplateRequest {
  /** Undefined or an empty text for no template. */
  readonly template?: string | undefined;
  /** The runtime of the request, which wins over the runtime of the template. */
  readonly runtime?: Runtime | undefined;
}

/** The templates of the schema that a request names. */
export interface TemplateRules {
  readonly version: string;
  readonly transactions: TransactionTemplates;
  /** Whether the ledger enforces its schema. It only decides the text of one message. */
  readonly isStrict: boolean;
}

/** The script of a template, which runs instead of a script in the request. */
export interface ChosenTemplate {
  readonly name: string;
  readonly plain: string;
  readonly runtime: Runtime | undefined;
}

/**
 * The template that creates a transaction; undefined if the request names none and needs none. `rules` is undefined for a
 * request without a schema. Under a schema with templates, every transaction must use one of them, even if the schema is
 * not enforced otherwise. Throws `VALIDATION`.
 */
export function chooseTemplate(
  { template = "", runtime }: TemplateRequest,
  rules: TemplateRules | undefined,
): ChosenTemplate | undefined {
  if (rules === undefined || rules.transactions.size === 0) {
    if (template === "") return undefined;
    const what = "can only use templates on a schema with transaction definitions";
    throw rules === undefined ? invalid(what) : schemaViolation(rules.version, what);
  }
  const { version, transactions, isStrict } = rules;
  if (template === "" && isStrict) {
    throw schemaViolation(version, "transactions on this ledger must use a template");
  }
  const chosen = template === "" ? undefined : transactions.get(template);
  if (chosen === undefined) {
    const what = `failed to find transaction template \`${shown(template)}\``;
    throw schemaViolation(version, what);
  }
  return { name: template, plain: chosen.script, runtime: runtime ?? chosen.runtime };
}
