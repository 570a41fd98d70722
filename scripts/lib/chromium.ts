/** Debian's Chromium, with options that keep it from calling the internet by itself. */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export const CHROMIUM_OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
