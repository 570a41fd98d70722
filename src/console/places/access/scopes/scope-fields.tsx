import { type Level, LEVELS, type ModuleName, MODULES, OPERATE, type Rights } from "./scopes.ts";
import { may } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Choice } from "#console/parts/base/choice.tsx";
import { SwitchField } from "#console/parts/forms/fields.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** The rights of a client or a person. Nobody can give more than they have, so only that can be chosen. */
export function ScopeFields({
  rights,
  onChange,
}: {
  readonly rights: Rights;
  readonly onChange: (rights: Rights) => void;
}) {
  const words = accessWords().scopes;
  const { levels, operates, others } = rights;
  const closed = MODULES.filter((name) => !may(`${name}:write`));
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 flex w-full items-center justify-between text-muted">
        {words.title}
        <Button kind="quiet" onClick={() => onChange(allOf(rights))}>
          {words.all}
        </Button>
      </legend>
      <ul className="divide-y divide-line rounded-md border border-line">
        {MODULES.map((name) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-2 px-3 py-1.5">
            <span>{words.modules[name]}</span>
            <Choice
              label={words.modules[name]}
              options={levelsFor(name, levels[name]).map((level) => [level, words.levels[level]])}
              chosen={levels[name]}
              onChoose={(level) => onChange({ ...rights, levels: { ...levels, [name]: level } })}
            />
          </li>
        ))}
      </ul>
      {may(OPERATE) && (
        <SwitchField
          label={words.operate}
          value={operates}
          onChange={(next) => onChange({ ...rights, operates: next })}
        />
      )}
      {others.length > 0 && <p className="text-note text-muted">{words.others(others)}</p>}
      {closed.length > 0 && (
        <p className="text-note text-muted">
          {words.closed(closed.map((name) => words.modules[name]))}
        </p>
      )}
    </fieldset>
  );
}

/** The levels that the person may give; the present one is always shown. */
const levelsFor = (name: ModuleName, present: Level): readonly Level[] =>
  LEVELS.filter((level) => level === "none" || level === present || may(`${name}:${level}`));

/** All that the person may give. */
function allOf(rights: Rights): Rights {
  const levels = Object.fromEntries(
    MODULES.map((name) => [name, levelsFor(name, rights.levels[name]).at(-1) ?? "none"]),
  ) as Rights["levels"]; // It has all names.
  return { ...rights, levels, operates: rights.operates || may(OPERATE) };
}
