import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import type { ReactNode } from "react";

interface ChoiceProps<T extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, label: ReactNode])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** One of a few short options, side by side in one frame. */
export const Choice = <T extends string>(props: ChoiceProps<T>) => (
  <Options
    {...props}
    frame="flex w-fit max-w-full flex-wrap rounded-md border border-line p-0.5"
    item="h-6 rounded px-2 text-note text-muted hover:text-text data-checked:bg-hover data-checked:font-medium data-checked:text-text pointer-coarse:h-9"
  />
);

/** One of several options, each in a frame of its own. */
export const Tiles = <T extends string>(props: ChoiceProps<T>) => (
  <Options
    {...props}
    frame="flex max-w-full flex-wrap gap-2"
    item="h-8 rounded-md border border-line px-3 hover:bg-hover data-checked:border-accent data-checked:bg-accent-soft pointer-coarse:h-11"
  />
);

function Options<T extends string>({
  label,
  options,
  chosen,
  onChoose,
  frame,
  item,
}: ChoiceProps<T> & { readonly frame: string; readonly item: string }) {
  return (
    <RadioGroup aria-label={label} value={chosen} onValueChange={onChoose} className={frame}>
      {options.map(([value, text]) => (
        <Radio.Root
          key={value}
          value={value}
          className={`inline-flex max-w-full cursor-pointer items-center overflow-hidden whitespace-nowrap ${item}`}
        >
          {text}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
