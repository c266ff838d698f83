// Markdown as safe HTML: what is HTML in it stays text, nothing is loaded, and what is left passes DOMPurify.
import { Marked } from "../vendor/marked.js";
import "../vendor/purify.js";
import { t } from "./text.js";

const PURE = {
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "img", "svg", "math", "video", "audio"],
  FORBID_ATTR: ["style", "id", "name"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ADD_ATTR: ["data-n", "data-tex", "data-block"],
  ADD_URI_SAFE_ATTR: ["align", "start", "tabindex"], // whose values the pattern above would not let through
};
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** An inline piece that `pattern` finds where it begins with `sign`. */
const inline = (name, sign, pattern, renderer) => ({
  name,
  level: "inline",
  start: (text) => { const at = text.search(sign); return at < 0 ? undefined : at; },
  tokenizer(text) {
    const found = pattern.exec(text);
    return found ? { type: name, raw: found[0], text: found.slice(1).find((part) => part !== undefined) } : undefined;
  },
  renderer,
});
const formula = (block) => ({ text }) => `<span class="tex" dir="ltr" data-tex="${escaped(text)}"${block ? ' data-block=""' : ""}></span>`;

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    inline("cite", /\[\d/, /^\[(\d{1,3})\](?![(:[])/, ({ text }) => `<a class="cite" data-n="${text}">${text}</a>`),
    inline("formulas", /\$\$|\\\[/, /^(?:\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\])/, formula(true)),
    inline("formula", /\$|\\\(/, /^(?:\$(?!\s)([^$\n]*[^$\s\\])\$(?!\d)|\\\(([^\n]+?)\\\))/, formula(false)),
  ],
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
  // Each block goes the way of its own first words, which code in it does not decide.
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

export const toHtml = (text) => window.DOMPurify.sanitize(marked.parse(text), PURE);

/** What a whole text gets once: colours for code, formulas set, code that can be copied. */
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
  const copy = document.createElement("button");
  head.className = "code-head";
  head.append(name);
  copy.type = "button";
  copy.textContent = t("copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent.replace(/\n$/, ""));
    copy.textContent = t("copied");
    setTimeout(() => { copy.textContent = t("copy"); }, 1_500);
  });
  head.append(copy);
  block.prepend(head);
}
