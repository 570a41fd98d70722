import type { QueryClient } from "@tanstack/react-query";
import type { CompletionQuery, CodeSuggestion, Suggestions } from "#console/parts/editor/types.ts";
import {
  accountsLikeQuery,
  checkQuery,
  recentAssetsQuery,
  schemaQuery,
} from "#console/places/numscript/queries.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

const TYPES = ["account", "asset", "monetary", "number", "portion", "string"];
const COMMON_ASSETS = ["EUR/2", "USD/2", "GBP/2", "CHF/2", "JPY", "BTC/8"];

/** Words that stand in the language, some with what usually follows. */
const WORDS: readonly CodeSuggestion[] = [
  {
    label: "send",
    kind: "keyword",
    snippet: "send [#{EUR/2} #{100}] (\n  source = @#{world}\n  destination = @#{account}\n)\n",
  },
  { label: "vars", kind: "keyword", snippet: "vars {\n  #{monetary} $#{amount}\n}\n" },
  { label: "save", kind: "keyword", snippet: "save [#{EUR/2} #{100}] from @#{account}\n" },
  { label: "max", kind: "keyword", snippet: "max [#{EUR/2} #{100}] from @#{account}" },
  { label: "set_tx_meta", kind: "function", snippet: 'set_tx_meta("#{name}", "#{value}")' },
  {
    label: "set_account_meta",
    kind: "function",
    snippet: 'set_account_meta(@#{account}, "#{name}", "#{value}")',
  },
  { label: "meta", kind: "function", snippet: 'meta(@#{account}, "#{name}")' },
  { label: "balance", kind: "function", snippet: "balance(@#{account}, #{EUR/2})" },
  ...[
    "source",
    "destination",
    "from",
    "to",
    "remaining",
    "kept",
    "allowing overdraft up to",
    "allowing unbounded overdraft",
  ].map((label): CodeSuggestion => ({ label, kind: "keyword" })),
];

/** What may stand at a place of a script, and what the ledger knows that begins in the same way. */
export async function suggest(
  query: CompletionQuery,
  { ledger, queries }: { readonly ledger: string; readonly queries: QueryClient },
): Promise<Suggestions | undefined> {
  const { before, position, text, isAsked } = query;
  if (before.includes("//")) return undefined;
  const account = /@([\w:-]*)$/.exec(before)?.[1];
  if (account !== undefined) return accounts(account, position, { ledger, queries });
  const variable = /\$\w*$/.exec(before)?.[0];
  if (variable !== undefined) {
    const found = variablesIn(text, variable);
    return { from: position - variable.length, options: found, validFor: /^\$\w*$/ };
  }
  const asset = /(?:\[|,\s*|\basset\s+)([A-Z][A-Z0-9/]*|)$/.exec(before)?.[1];
  if (asset !== undefined && (asset !== "" || before.endsWith("[") || isAsked)) {
    const options = await assets(text, { ledger, queries });
    return { from: position - asset.length, options, validFor: /^[A-Z][A-Z0-9/]*$/ };
  }
  const word = /[a-z_]*$/.exec(before)?.[0] ?? "";
  if (word === "" && !isAsked) return undefined;
  const options = [...WORDS, ...TYPES.map((label): CodeSuggestion => ({ label, kind: "type" }))];
  const isStart = text.trim().length === word.length;
  const templates = isStart ? await templatesOf({ ledger, queries }) : [];
  return {
    from: position - word.length,
    options: [...templates, ...options],
    validFor: /^[a-z_]*$/,
  };
}

interface Source {
  readonly ledger: string;
  readonly queries: QueryClient;
}

async function accounts(prefix: string, position: number, source: Source): Promise<Suggestions> {
  const { ledger, queries } = source;
  const { addresses, isComplete } =
    ledger === ""
      ? { addresses: [], isComplete: true }
      : await queries.fetchQuery(accountsLikeQuery(ledger, prefix));
  const known = addresses.includes("world") || !"world".startsWith(prefix) ? [] : ["world"];
  return {
    from: position - prefix.length,
    options: [...known, ...addresses].map((label) => ({ label, kind: "constant" })),
    // A list with more accounts than were asked for is asked again with each letter.
    ...(isComplete ? { validFor: /^[\w:-]*$/ } : {}),
  };
}

/** The variables that the script declares, but for the one that is being typed. */
const variablesIn = (text: string, typed: string): CodeSuggestion[] => {
  const declared = [
    ...text.matchAll(/\b(account|asset|monetary|number|portion|string)\s+(\$\w+)/g),
  ];
  return declared
    .filter(([, , name]) => name !== typed)
    .map(([, type = "", name = ""]) => ({ label: name, detail: type, kind: "variable" }));
};

async function assets(text: string, { ledger, queries }: Source): Promise<CodeSuggestion[]> {
  const recent = ledger === "" ? [] : await queries.fetchQuery(recentAssetsQuery(ledger));
  const report = queries.getQueryData(checkQuery(text).queryKey);
  const own = report?.assets.map(({ asset }) => asset) ?? [];
  const names = [...new Set([...own, ...recent, ...COMMON_ASSETS])];
  return names.map((label) => ({ label, kind: "constant" }));
}

/** The templates of the ledger's schema, for a script that has not begun. */
async function templatesOf({ ledger, queries }: Source): Promise<CodeSuggestion[]> {
  if (ledger === "") return [];
  const schema = await queries.fetchQuery(schemaQuery(ledger));
  return (schema?.templates ?? []).map(({ name, script }) => ({
    label: name,
    detail: numscriptWords().template.one,
    kind: "text",
    snippet: script.replaceAll("#{", String.raw`#\{`).replaceAll("${", String.raw`$\{`),
  }));
}
