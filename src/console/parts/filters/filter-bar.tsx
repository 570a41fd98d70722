import { X } from "lucide-react";
import { FilterInput } from "./filter-input.tsx";
import type { FilterField, FilterValues } from "./filter-text.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { partWords } from "#console/parts/part-words.ts";

interface FilterBarProps {
  readonly fields: readonly FilterField[];
  readonly values: FilterValues;
  readonly onChange: (values: FilterValues) => void;
}

/** The filters of a list: chosen from the menu, or typed as `account:users:42`. */
export function FilterBar({ fields, values, onChange }: FilterBarProps) {
  const words = partWords().filter;
  const active = fields.filter(({ id }) => values[id] !== undefined);
  const set = (id: string, value: string | undefined): void => {
    const { [id]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [id]: value });
  };
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">
      {active.map(({ id, label, choices }) => {
        const value = values[id] ?? "";
        return (
          <span
            key={id}
            className="inline-flex h-7 max-w-full items-center overflow-hidden rounded-md border border-line-strong text-note pointer-coarse:h-9"
          >
            <span className="px-2 text-muted">{label}</span>
            <span className="truncate border-l border-line px-2 font-medium">
              <Foreign>{choices?.find((choice) => choice.value === value)?.label ?? value}</Foreign>
            </span>
            <button
              type="button"
              aria-label={words.remove(label)}
              onClick={() => set(id, undefined)}
              className="flex h-full w-7 items-center justify-center border-l border-line text-faint hover:bg-hover hover:text-text"
            >
              <X aria-hidden size={13} />
            </button>
          </span>
        );
      })}
      <FilterInput fields={fields} onApply={set} />
      {active.length > 1 && (
        <button
          type="button"
          onClick={() => onChange({})}
          className="px-1 text-note text-muted hover:text-text"
        >
          {words.clear}
        </button>
      )}
    </div>
  );
}
