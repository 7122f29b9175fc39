// Creates elements of pictures, and those of the chat app. The page's security policy allows no markup in texts.

export { element } from "../../www/src/element.js";

export function svgElement(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const created = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, String(value));
  }
  created.append(...children);
  return created;
}
