// @ts-check
// Helpers for elements of the page.

/**
 * Return the first element for a selector; throw if it is missing or of another kind.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 */
export function findElement(root, selector, kind) {
  const part = root.querySelector(selector);
  if (part instanceof kind) return part;
  throw new TypeError(`No ${kind.name} is ${selector}`);
}

/** @param {HTMLCanvasElement} canvas */
export function getContext(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/**
 * Return a new element with properties, such as its class and its text, and content.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Partial<HTMLElementTagNameMap[K]>} properties
 * @param {...(Node | string)} content
 */
export function createElement(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

/**
 * @param {string} title
 * @param {() => void} act
 * @param {...(Node | string)} content
 */
export function createButton(title, act, ...content) {
  return createElement("button", { type: "button", title, onclick: act }, ...content);
}

/** @type {WeakMap<ParentNode, any>} */
const figures = new WeakMap();

/**
 * Show new data in the figure of an element, made the first time; return its removal.
 * @template {{ close: () => void }} T
 * @param {ParentNode} parent
 * @param {() => T} make
 * @param {(figure: T) => void} show
 */
export function mountFigure(parent, make, show) {
  /** @type {T} */
  const figure = figures.get(parent) ?? make();
  figures.set(parent, figure);
  show(figure);
  return () => {
    figure.close();
    figures.delete(parent);
  };
}

/** Set whether a button is shown as pressed. @param {Element} made @param {boolean} whether */
export function setPressed(made, whether) {
  made.setAttribute("aria-pressed", String(whether));
}

/**
 * Call `act` whenever the background of the theme changes; Streamlit can set it after the element
 * is mounted.
 * @param {HTMLElement} element
 * @param {() => void} act
 */
export function onThemeChange(element, act) {
  // This colour is invisible and not inherited. Its change takes 1 ms, and the end of the
  // transition is an event.
  element.style.columnRuleColor = "var(--st-background-color)";
  element.style.transition = "column-rule-color 1ms";
  element.addEventListener("transitionend", ({ target }) => target === element && act());
}

/** Download a file. @param {Blob} blob @param {string} name */
export function downloadFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
