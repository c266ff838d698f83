// Markdown as safe HTML: what is HTML in it stays text, nothing is loaded, and what is left passes DOMPurify.
import { Marked } from "../vendor/marked.js";
import "../vendor/purify.js";
import { copy } from "./clipboard.js";
import { t } from "./text.js";

const PURE = {
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "img", "svg", "math", "video", "audio"],
  FORBID_ATTR: ["style", "id", "name"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ADD_ATTR: ["data-n", "data-tex", "data-block"],
  ADD_URI_SAFE_ATTR: ["align", "start", "tabindex"], // whose values the pattern above would not let through
};
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** An inline extension: `pattern` matches it, `sign` finds where it may begin, `suits` decides by its text. */
const inline = (name, sign, pattern, renderer, suits = () => true) => ({
  name,
  level: "inline",
  start: (text) => { const at = text.search(sign); return at < 0 ? undefined : at; },
  tokenizer(text) {
    const found = pattern.exec(text);
    const inside = found?.slice(1).find((part) => part !== undefined);
    return found && suits(inside) ? { type: name, raw: found[0], text: inside } : undefined;
  },
  renderer,
});
const numbersOf = (text) => text.match(/\d+/g).map(Number);
const formula = (block) => ({ text }) => `<span class="tex" dir="ltr" data-tex="${escaped(text)}"${block ? ' data-block=""' : ""}></span>`;

/** A formula over several lines, whose lines are no Markdown. It may begin at the end of a line of text. */
const formulas = {
  name: "formulas",
  level: "block",
  start: (text) => { const at = text.search(/^ {0,3}(?:\$\$|\\\[)|(?:\$\$|\\\[)[ \t]*$/m); return at < 0 ? undefined : at; },
  tokenizer(text) {
    const found = /^ {0,3}(?:\$\$((?:\\[\s\S]|[^$\\])+)\$\$|\\\[([\s\S]+?)\\\])[ \t]*\n*/.exec(text);
    return found ? { type: "formulas", raw: found[0], text: found[1] ?? found[2] } : undefined;
  },
  renderer: (token) => `<p>${formula(true)(token)}</p>`,
};

let known; // the numbers that are sources of the text; undefined while the answer is coming
const isSource = (number) => !known || known.includes(Number(number));

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    inline("cite", /\[\d/, /^\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()/, ({ text }) => numbersOf(text).map((n) => (isSource(n) ? `<a class="cite" data-n="${n}">${n}</a>` : `[${n}]`)).join(""), (text) => numbersOf(text).some(isSource)),
    formulas,
    inline("display", /\$\$|\\\[/, /^(?:\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\])/, formula(true)),
    inline("formula", /\$|\\\(/, /^(?:\$(?!\s)([^$\n]*[^$\s\\])\$(?!\d)|\\\(([^\n]+?)\\\))/, formula(false)),
  ],
  tokenizer: {
    def(text) { // "[1]: Ada" is a statement about a source, not the address of a link
      const [, number, rest] = /^ {0,3}\[(\d{1,3})\]:(.*)/.exec(text) ?? [];
      return number && (isSource(number) || !/^\s*<?\w+:/.test(rest)) ? undefined : false;
    },
  },
  renderer: {
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || t("image"))}</a>`,
    code: ({ text, lang }) => `<pre><code class="language-${escaped((lang || "").split(/\s/)[0])}">${escaped(text)}\n</code></pre>`,
    table(token) {
      const row = (cells, tag) => `<tr>${cells.map((cell) =>
        `<${tag}${cell.align ? ` align="${cell.align}"` : ""}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
      const body = token.rows.map((cells) => row(cells, "td")).join("");
      return `<div class="table" tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

window.DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  // The first words of a block decide its direction; code is always left to right.
  if (["PRE", "CODE"].includes(node.tagName)) node.setAttribute("dir", "ltr");
  else if (node.parentNode?.tagName === "BODY") node.setAttribute("dir", "auto");
  if (node.tagName !== "A") return;
  if (node.classList.contains("cite")) {
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "0");
  } else if (node.hasAttribute("href")) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** Safe HTML. `cites`: the numbers that are sources; other numbers in brackets stay text. */
export function toHtml(text, cites) {
  known = cites;
  return window.DOMPurify.sanitize(marked.parse(text), PURE);
}

/** The numbers of the sources that a text cites outside of code. */
export function citedIn(text, cites) {
  if (!/\[\d/.test(text)) return [];
  const found = new Set();
  known = cites;
  marked.walkTokens(marked.lexer(text), (token) => { if (token.type === "cite") numbersOf(token.text).filter(isSource).forEach((n) => found.add(n)); });
  return [...found];
}

/** Finishes a whole text: colours code, sets formulas, adds buttons that copy code. */
export async function finish(element) {
  for (const block of element.querySelectorAll("pre")) addCopy(block);
  const code = [...element.querySelectorAll("pre code")].filter((one) => one.textContent.length < 50_000);
  if (code.length) {
    const { default: highlighter } = await import("../vendor/highlight.js");
    for (const one of code) {
      const name = one.className.replace("language-", "");
      if (!highlighter.getLanguage(name)) continue;
      one.innerHTML = highlighter.highlight(one.textContent, { language: name, ignoreIllegals: true }).value;
    }
  }
  const formulas = element.querySelectorAll(".tex");
  if (formulas.length) {
    const { default: temml } = await import("../vendor/temml.js");
    for (const one of formulas) {
      temml.render(one.dataset.tex, one, { displayMode: "block" in one.dataset, throwOnError: false });
    }
  }
}

function addCopy(block) {
  const name = block.firstElementChild.className.replace("language-", "");
  const head = document.createElement("div");
  const button = document.createElement("button");
  head.className = "code-head";
  head.append(name);
  button.type = "button";
  button.textContent = t("copy");
  button.addEventListener("click", () => copy(block.querySelector("code").textContent.replace(/\n$/, ""), (text) => { button.textContent = text; }));
  head.append(button);
  block.prepend(head);
}
