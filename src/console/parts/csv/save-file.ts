/** Time for which a saved file stays readable for the browser, in milliseconds. */
const KEPT_MS = 60_000;

/** Gives a file to the browser, which asks for nothing and saves it. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
