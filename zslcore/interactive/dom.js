// @ts-check
// Elements of the page.

/**
 * Return the first element for a selector; throw if it is missing or of another kind.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 */
export function findElement(root, selector, kind) {
  const element = root.querySelector(selector);
  if (element instanceof kind) return element;
  throw new TypeError(`No ${kind.name} is ${selector}`);
}

/**
 * Return a new element with properties, such as its class and its text, and content.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Partial<HTMLElementTagNameMap[K]>} properties
 * @param {...(Node | string)} content
 */
export function createElement(name, properties = {}, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

/**
 * @param {string} title
 * @param {() => void} onclick
 * @param {...(Node | string)} content
 */
export function createButton(title, onclick, ...content) {
  return createElement("button", { type: "button", title, onclick }, ...content);
}

/** Set whether a button is shown as pressed. @param {Element} button @param {boolean} isPressed */
export function setPressed(button, isPressed) {
  button.setAttribute("aria-pressed", String(isPressed));
}

/** Make a drawing an image with a name; an image without one is an error for screen readers.
 * @param {Element} drawing @param {string} name */
export function nameDrawing(drawing, name) {
  drawing.role = "img";
  drawing.ariaLabel = name;
}

/**
 * Return the position of the pointer on an element.
 * @param {MouseEvent} event
 * @param {Element} element
 * @returns {[x: number, y: number]}
 */
export function pointerOn({ clientX, clientY }, element) {
  const { left, top } = element.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

/** @param {Blob} blob @param {string} name */
export function downloadFile(blob, name) {
  const link = createElement("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
