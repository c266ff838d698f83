// Why an answer remembered what it did: the server's receipt, with what each source says by now.
import { Confirm, html, useEffect, useState } from "../lib/view.js";
import { get, path, remove, told } from "../lib/api.js";
import { count, moment, t } from "../lib/text.js";

const KEPT_UNDER = { turn: (one) => ["v1", "sessions", one.session_id, "messages", one.id], fact: (one) => ["v1", "facts", one.id], memory: (one) => ["v1", "memories", one.id] };
const OF_SESSION = "turn"; // which says itself whose memory it is in; others are the project's, or the user's

/** The numbers that an answer cites. */
export const citedIn = (text) => [...new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map((found) => Number(found[1])))];

function Source({ one, considered, go, forget, marked }) {
  const linked = one.kind === "turn" && one.session_id;
  const seen = considered.find((each) => each.id === one.id);
  const parts = seen ? Object.entries({ score: seen.score, ...seen.explain }).filter(([, value]) => typeof value === "number") : [];
  const open = (event) => { event.preventDefault(); go(one.session_id, one.id); };
  if (one.content === null) return html`<li value=${one.n} class="soft">${t("sourceGone")}</li>`;
  return html`
    <li value=${one.n} id=${`source-${one.n}`} class=${marked === one.n ? "marked" : ""}>
      <p class="quote" dir="auto">${one.content}</p>
      <p class="soft">
        ${t(one.role === "assistant" ? "byAssistant" : `kind_${one.kind}`) || one.kind} · <time datetime=${one.timestamp}>${moment(one.timestamp)}</time>
        ${linked && html` · <a href=${`?session=${encodeURIComponent(one.session_id)}&message=${encodeURIComponent(one.id)}`} onClick=${open}>${t("openMessage")}</a>`}
        ${one.kind in KEPT_UNDER && html` · <button type="button" class="link" onClick=${() => forget(one)}>${t("forget")}</button>`}
      </p>
      ${parts.length > 0 && html`
        <details><summary>${t("scoreParts")}</summary>
          <dl class="parts">${parts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value.toFixed(3)}</dd></div>`)}</dl>
        </details>`}
    </li>`;
}

export function Sources({ turn, text, marked, go, project }) {
  const [receipt, set] = useState(null);
  const [error, fail] = useState("");
  const read = () => get(path(["v1", "receipts", turn])).then(set, (problem) => fail(problem.status === 404 ? t("noReceipt") : told(problem)));
  useEffect(() => { read(); }, [turn]);
  const [asked, ask] = useState(null);
  const forget = async () => {
    await remove(path(KEPT_UNDER[asked.kind](asked), asked.kind === OF_SESSION ? {} : { project }));
    await read();
  };
  if (error) return html`<p class="sources soft" role="status">${error}</p>`;
  if (!receipt) return html`<p class="sources soft" role="status">…</p>`;
  const cited = citedIn(text);
  const used = receipt.used.filter((one) => cited.includes(one.n));
  const given = receipt.used.filter((one) => !cited.includes(one.n));
  const list = (sources) => html`<ol>${sources.map((one) => html`<${Source} key=${`${one.n} ${one.id}`} one=${one} considered=${receipt.considered} go=${go} forget=${ask} marked=${marked} />`)}</ol>`;
  return html`
    <section class="sources" aria-label=${t("sources")}>
      ${asked && html`<${Confirm} title=${t("forgetFacts", 1)} text=${asked.content} action=${t("forget")} run=${forget} close=${() => ask(null)} />`}
      ${used.length > 0 ? list(used) : html`<p class="soft">${receipt.need_memory ? t("nothingCited") : t("noMemoryNeeded", receipt.memory_reason)}</p>`}
      ${given.length > 0 && html`<details><summary>${t("alsoGiven", given.length)}</summary>${list(given)}</details>`}
      ${receipt.ledger.length > 0 && html`
        <details><summary>${t("promptCost", count(receipt.usage.prompt_tokens))}</summary>
          <table><thead><tr><th scope="col">${t("section")}</th><th scope="col" class="number">${t("tokens")}</th></tr></thead>
            <tbody>${receipt.ledger.map((one) => html`<tr><th scope="row">${one.section}</th><td class="number">${count(one.tokens)}</td></tr>`)}</tbody></table>
        </details>`}
    </section>`;
}
