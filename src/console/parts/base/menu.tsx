import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { buttonClass } from "./button.tsx";

/** A button that opens a list of actions. */
export const ActionMenu = ({
  trigger,
  label,
  children,
}: {
  readonly trigger: ReactNode;
  /** What the button does, for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}) => (
  <Menu.Root>
    <Menu.Trigger aria-label={label} title={label} className={buttonClass("plain")}>
      {trigger}
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner sideOffset={6} align="end" className="z-50 outline-none">
        <Menu.Popup className="min-w-44 animate-appear rounded-lg bg-raised p-1 shadow-float outline-none">
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);

export const ActionItem = ({
  onSelect,
  children,
}: {
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) => (
  <Menu.Item
    onClick={onSelect}
    className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover pointer-coarse:h-11"
  >
    {children}
  </Menu.Item>
);
