import { X } from "lucide-react";
import type { ReactNode } from "react";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A group of inputs with a name, and a button that takes it away. */
export const FieldGroup = ({
  title,
  remove,
  children,
}: {
  readonly title: string;
  readonly remove?: (() => void) | undefined;
  readonly children: ReactNode;
}) => (
  <fieldset className="relative rounded-md border border-line p-4 pt-2">
    <legend className="px-1 font-medium">{title}</legend>
    {remove !== undefined && (
      <RemoveButton
        label={reconciliationWords().form.remove(title)}
        onClick={remove}
        className="absolute -top-4 right-2 bg-raised"
      />
    )}
    <div className="space-y-3">{children}</div>
  </fieldset>
);

export const RemoveButton = ({
  label,
  onClick,
  className = "",
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly className?: string;
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className={`flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text pointer-coarse:size-11 ${className}`}
  >
    <X aria-hidden size={14} />
  </button>
);
