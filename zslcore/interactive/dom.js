// @ts-check
// Small things that are asked of the page.

/**
 * The element of that kind that the markup has.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 */
export function partOf(root, selector, kind) {
  const part = root.querySelector(selector);
  if (part instanceof kind) return part;
  throw new TypeError(`No ${kind.name} is ${selector}`);
}

/** @param {HTMLCanvasElement} canvas */
export function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/**
 * @param {string} title
 * @param {(made: HTMLButtonElement) => void} act
 * @param {...(Node | string)} content
 */
export function button(title, act, ...content) {
  const made = document.createElement("button");
  made.type = "button";
  made.title = title;
  made.append(...content);
  made.addEventListener("click", () => act(made));
  return made;
}

/** Say that a button is pressed, or not. @param {Element} made @param {boolean} whether */
export function press(made, whether) {
  made.setAttribute("aria-pressed", String(whether));
}

/**
 * Act whenever the theme's paper changes; Streamlit may bring it after the element is there.
 * @param {HTMLElement} element
 * @param {() => void} act
 */
export function onNewPaper(element, act) {
  // Nobody sees this colour, and no child inherits it. It takes a moment to change: that is how a
  // change is heard.
  element.style.columnRuleColor = "var(--st-background-color)";
  element.style.transition = "column-rule-color 1ms";
  element.addEventListener("transitionend", ({ target }) => target === element && act());
}

/** Hand a file to the visitor. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
