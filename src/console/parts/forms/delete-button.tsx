import type { QueryKey } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { ConfirmButton } from "./form.tsx";
import { useWrite } from "./use-write.ts";
import type { WriteCall } from "#console/api/client.ts";

interface DeleteButtonProps {
  /** The texts of the button, and of the question that it asks; `removeSubmit` is the answer that deletes, by default the button's own text. */
  readonly words: {
    readonly remove: string;
    readonly removeTitle: string;
    readonly removeText: string;
    readonly removeSubmit?: string;
  };
  readonly remove: (call: WriteCall) => Promise<unknown>;
  /** The beginnings of the keys of the lists that had the object. */
  readonly refresh: readonly QueryKey[];
  /** Leaves the page, which has nothing to show any more. */
  readonly onDone: () => Promise<void>;
}

/** Deletes what a page shows, after a question. */
export function DeleteButton({ words, remove, refresh, onDone }: DeleteButtonProps) {
  const write = useWrite((_: undefined, call) => remove(call), { refresh, onDone });
  return (
    <ConfirmButton
      trigger={
        <>
          <Trash2 aria-hidden size={14} />
          {words.remove}
        </>
      }
      title={words.removeTitle}
      submit={words.removeSubmit ?? words.remove}
      write={write}
      onConfirm={() => write.send(undefined)}
    >
      <p>{words.removeText}</p>
    </ConfirmButton>
  );
}
