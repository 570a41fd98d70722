import { Dialog } from "@base-ui/react/dialog";
import { Form as BaseForm } from "@base-ui/react/form";
import { Code } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { recordWrites, type Write } from "./use-write.ts";
import type { WireRequest } from "#console/api/client.ts";
import { Button, buttonClass } from "#console/parts/base/button.tsx";
import { DialogFrame } from "#console/parts/base/dialog.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { CodeWindow } from "#console/parts/code/code-window.tsx";
import { partWords } from "#console/parts/part-words.ts";

type Sending = Pick<Write<never, unknown>, "isSending" | "error">;

interface FormProps {
  /** The write of the form: its error stands above the button, and the button waits for it. */
  readonly write: Sending;
  readonly submit: string;
  /** Whether the write destroys or moves something. */
  readonly isRisky?: boolean;
  readonly onSubmit: () => void;
  /** More buttons, at the left of the one that sends. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A form with the button that sends it, and one that shows as code what it would send. Inputs that don't fit are named, and nothing is sent
 * or shown.
 */
export function Form({ write, submit, isRisky = false, onSubmit, actions, children }: FormProps) {
  const [code, setCode] = useState<readonly WireRequest[]>();
  const isForCode = useRef(false);
  const words = partWords();
  const showCode = (form: HTMLFormElement | null): void => {
    isForCode.current = true;
    form?.requestSubmit(); // Inputs are checked, and a form that fits is submitted, before the call returns.
    isForCode.current = false;
  };
  return (
    <BaseForm
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isForCode.current) onSubmit();
        else setCode(recordWrites(onSubmit));
      }}
    >
      {children}
      {write.error !== null && <Failure error={write.error} title={words.form.failed} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          kind="quiet"
          className="-ml-3"
          onClick={({ currentTarget }) => showCode(currentTarget.form)}
        >
          <Code aria-hidden size={14} />
          {words.code.open}
        </Button>
        <span className="flex-1" />
        {actions}
        <Button type="submit" kind={isRisky ? "risky" : "primary"} disabled={write.isSending}>
          {submit}
        </Button>
      </div>
      <CodeWindow requests={code} onClose={() => setCode(undefined)} />
    </BaseForm>
  );
}

/** A button that opens a window with a form. `children` get the function that closes the window. */
export function FormDialog({
  trigger,
  title,
  kind = "plain",
  isWide = false,
  children,
}: {
  readonly trigger: ReactNode;
  readonly title: string;
  readonly kind?: "primary" | "plain" | "quiet" | "risky";
  readonly isWide?: boolean;
  readonly children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className={buttonClass(kind)}>{trigger}</Dialog.Trigger>
      <DialogFrame title={title} isWide={isWide}>
        {children(() => setOpen(false))}
      </DialogFrame>
    </Dialog.Root>
  );
}

/** A button whose action is asked for once more, in words that say what it does. */
export function ConfirmButton({
  trigger,
  title,
  submit,
  write,
  onConfirm,
  isRisky = true,
  kind = "plain",
  children,
}: {
  readonly trigger: ReactNode;
  readonly title: string;
  /** The look of the button that opens the question. */
  readonly kind?: "primary" | "plain" | "quiet";
  readonly submit: string;
  readonly write: Sending;
  /** Sends the write; `close` closes the window, and belongs into `onDone` of the write. */
  readonly onConfirm: (close: () => void) => void;
  readonly isRisky?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <FormDialog trigger={trigger} title={title} kind={kind}>
      {(close) => (
        <Form write={write} submit={submit} isRisky={isRisky} onSubmit={() => onConfirm(close)}>
          {children}
        </Form>
      )}
    </FormDialog>
  );
}
