import { isEverything, MODULES, rightsOf } from "./scopes.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** Scopes in one line, for lists. */
export function ScopeLine({ scopes }: { readonly scopes: readonly string[] }) {
  return <span className="text-muted">{lineOf(scopes)}</span>;
}

function lineOf(scopes: readonly string[]): string {
  const words = accessWords().scopes;
  const rights = rightsOf(scopes);
  if (isEverything(rights)) return words.everything;
  const writes = MODULES.filter((name) => rights.levels[name] === "write");
  const reads = MODULES.filter((name) => rights.levels[name] === "read");
  const parts = [
    ...(writes.length === 0 ? [] : [words.changes(writes.map((name) => words.modules[name]))]),
    ...(reads.length === 0 ? [] : [words.reads(reads.map((name) => words.modules[name]))]),
    ...(rights.operates ? [words.operateShort] : []),
    ...rights.others,
  ];
  return parts.length === 0 ? words.nothing : parts.join(" · ");
}

/** Scopes in words, one below the other, with the scope itself on hover. */
export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  const words = accessWords().scopes;
  const { levels, operates, others } = rightsOf(scopes);
  const given = MODULES.filter((name) => levels[name] !== "none");
  if (given.length === 0 && !operates && others.length === 0) {
    return <p className="text-muted">{words.nothingLong}</p>;
  }
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {given.map((name) => (
        <li
          key={name}
          title={`${name}:${levels[name]}`}
          className="flex justify-between gap-4 px-3 py-1.5"
        >
          <span>{words.modules[name]}</span>
          <span className="text-muted">{words.levels[levels[name]]}</span>
        </li>
      ))}
      {operates && (
        <li title="florin:operate" className="flex justify-between gap-4 px-3 py-1.5">
          <span>{words.operate}</span>
          <span className="text-muted">{words.levels.write}</span>
        </li>
      )}
      {others.map((scope) => (
        <li key={scope} className="px-3 py-1.5 font-mono text-note">
          <Foreign>{scope}</Foreign>
        </li>
      ))}
    </ul>
  );
}
