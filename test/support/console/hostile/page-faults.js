/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return, no-control-regex -- The program of the tests has no types of pages, and the pattern looks for control characters. */
/**
 * What is wrong with a page that shows texts of `hostile-texts.ts`, as a list of sentences. It runs in the page, where the value of the last
 * expression is the answer.
 */
(() => {
  const HIDDEN = /\p{Bidi_Control}|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
  const LETTERS = /[\u05d0-\u05ea]/;
  const ISOLATE = /\u2068[^\p{Bidi_Control}]*\u2069/gu;
  const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT"]);
  const faults = [];
  const outsideOfIsolates = (text) => text.replaceAll(ISOLATE, "");

  const placeOf = (element) => {
    const path = [];
    for (let at = element; at !== null && path.length < 4; at = at.parentElement)
      path.unshift(`${at.tagName.toLowerCase()}.${at.getAttribute("class") ?? ""}`.slice(0, 60));
    return `${path.join(" > ")}: ${element.textContent.slice(0, 80)}`;
  };

  /** Whether an element keeps the direction of its text to itself, or shares its line with no other text. */
  const isIsolated = (element) => {
    const own = element.textContent.trim();
    for (let at = element; at !== null; at = at.parentElement) {
      const { unicodeBidi, display } = getComputedStyle(at);
      if (/isolate|plaintext/.test(unicodeBidi) && at.textContent.trim() === own) return true;
      if (!display.startsWith("inline") || display === "inline-block")
        return at.textContent.trim() === own;
      if (at.textContent.trim() !== own) return false;
    }
    return false;
  };

  if ("hit" in globalThis) faults.push("a script of a text has run");
  for (const element of document.querySelectorAll("img[src=x], body script, svg img"))
    faults.push(`a text has made an element: ${placeOf(element)}`);
  const width = document.scrollingElement.scrollWidth;
  if (width > innerWidth) {
    const wide = [...document.querySelectorAll("body *")].findLast(
      (element) => element.getBoundingClientRect().right > innerWidth + 1,
    );
    faults.push(`the page is ${width} wide, and the window ${innerWidth}: ${placeOf(wide)}`);
  }
  for (const element of document.querySelectorAll("main, main *, aside, aside *")) {
    const { overflowX } = getComputedStyle(element);
    const scrolls = element.matches("pre, .overflow-auto, .overflow-x-auto, .cm-scroller");
    if (scrolls || !/auto|scroll/.test(overflowX)) continue;
    if (element.scrollWidth <= element.clientWidth + 1) continue;
    const { right } = element.getBoundingClientRect();
    const wide = [...element.querySelectorAll("*")].findLast(
      (inner) => inner.getBoundingClientRect().right > right + 1,
    );
    faults.push(`a part of the page scrolls to the side: ${placeOf(wide ?? element)}`);
  }
  for (const cell of document.querySelectorAll("[role=row] [role=gridcell]"))
    if (cell.offsetHeight > cell.closest("[role=row]").offsetHeight)
      faults.push(`a cell is higher than its row: ${placeOf(cell)}`);
  if (HIDDEN.test(document.title)) faults.push("the title of the window has a hidden character");
  for (const heading of document.querySelectorAll("h1"))
    if (heading.offsetWidth < 8) faults.push(`a title has no width: ${placeOf(heading)}`);

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (SILENT.has(element.tagName)) continue;
    const text = outsideOfIsolates(node.textContent);
    if (HIDDEN.test(text)) faults.push(`a hidden character is in effect: ${placeOf(element)}`);
    else if (LETTERS.test(text) && !isIsolated(element))
      faults.push(`a text turns its neighbours: ${placeOf(element)}`);
    if (node.textContent.includes("\\u2068"))
      faults.push(`a mark of the page itself is shown: ${placeOf(element)}`);
  }
  for (const name of ["title", "aria-label"])
    for (const element of document.querySelectorAll(`[${name}]`))
      if (HIDDEN.test(outsideOfIsolates(element.getAttribute(name))))
        faults.push(`a hidden character is in ${name}: ${placeOf(element)}`);
  return [...new Set(faults)];
})();
