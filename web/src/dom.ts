// SPDX-License-Identifier: Apache-2.0
// Short helpers that make DOM elements.

export type Child = Node | string | number | null | undefined | false;
/** Of any number of children a list: browsers limit how many arguments a call has. */
type Children = (Child | Child[])[];
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  return element;
}

/** An HTML element; an attribute that is a function listens to the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Children): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Children): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A text with places at which a long name may be broken into lines. */
export const breakable = (text: string): Child[] =>
    (text.match(/[^:,_/]+[:,_/]*|[:,_/]+/g) ?? []).flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));

export interface Choice<T extends string> {
  value: T;
  label: string;
}

/** A row of buttons of which one is pressed. */
export function chooser<T extends string>(
    label: string, choices: Choice<T>[], chosen: T, choose: (value: T) => void): HTMLElement {
  const buttons = choices.map(
      ({value, label: text}) => h("button", {
        type: "button",
        "aria-pressed": String(value === chosen),
        click: () => {
          buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(choices[i]?.value === value)));
          choose(value);
        },
      }, text));
  return h("span", {class: "chooser", role: "group", "aria-label": label}, h("span", {class: "chooser-label"}, label), ...buttons);
}

/** A list of which one is chosen: for many choices, or long ones. The first one is chosen. */
export function picker(label: string, choices: Choice<string>[], choose: (value: string) => void): HTMLElement {
  const list = h("select", {change: () => choose(list.value)}, ...choices.map(({value, label: text}) => h("option", {value}, text)));
  return h("label", {class: "chooser"}, h("span", {class: "chooser-label"}, label), list);
}

export function download(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], {type}));
  h("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
