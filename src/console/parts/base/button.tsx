import type { ComponentProps } from "react";

const KINDS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line-strong bg-canvas text-text hover:bg-hover",
  risky: "bg-bad text-on-accent hover:opacity-90",
  quiet: "text-muted hover:bg-hover hover:text-text",
} as const;

/** The classes of a button, also for links that look like one. */
export const buttonClass = (kind: keyof typeof KINDS): string =>
  `inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 font-medium whitespace-nowrap disabled:opacity-50 pointer-coarse:h-11 ${KINDS[kind]}`;

export function Button({
  kind = "plain",
  className = "",
  ...props
}: ComponentProps<"button"> & { readonly kind?: keyof typeof KINDS }) {
  return <button type="button" {...props} className={`${buttonClass(kind)} ${className}`} />;
}
