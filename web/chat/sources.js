// The sources of an answer: the server's receipt, with what each source says now.
import { Confirm, html, Reword, useEffect, useRef, useState } from "../lib/view.js";
import { get, patch, path, post, put, remove, told } from "../lib/api.js";
import { toChat } from "../lib/messages.js";
import { count, moment, t, timezone } from "../lib/text.js";

const KEPT_UNDER = { turn: (one) => ["v1", "sessions", one.session_id, "messages", one.id], fact: (one) => ["v1", "facts", one.id], memory: (one) => ["v1", "memories", one.id] };
const PLACES = { fact: "facts", memory: "values", summary: "summaries" }; // on the memory page
const OF_SESSION = "turn"; // its session says which memory it belongs to; others belong to the project or the user

function Source({ one, considered, go, act, marked }) {
  const linked = one.kind === "turn" && one.session_id;
  const seen = considered.find((each) => each.id === one.id);
  const parts = seen ? Object.entries({ score: seen.score, ...seen.explain }).filter(([, value]) => typeof value === "number") : [];
  const open = (event) => { event.preventDefault(); go(one.session_id, one.id); };
  if (one.content === null) return html`<li value=${one.n} class="soft">${t("sourceGone")}</li>`;
  const withheld = one.recalled === false;
  return html`
    <li value=${one.n} tabindex="-1" class=${`${marked === one.n ? "marked" : ""} ${withheld ? "withheld" : ""}`}>
      <p class="quote" dir="auto">${one.content}</p>
      <p class="soft">
        ${t(one.role === "assistant" ? "byAssistant" : `kind_${one.kind}`) || one.kind} · <time datetime=${one.timestamp}>${moment(one.timestamp)}</time>
        ${linked && html` · <a href=${toChat(one.session_id, one.id)} onClick=${open}>${t("openMessage")}</a>`}
        ${one.kind in PLACES && html` · <a href=${`memory#${PLACES[one.kind]}`}>${t("openMemory")}</a>`}
        ${withheld && html` · ${t("notRecalled")}`}
      </p>
      ${one.kind in KEPT_UNDER && html`
        <div class="actions">
          ${linked && html`<button type="button" class="link" onClick=${() => act.setRecalled(one, withheld)}>${t(withheld ? "recallAgain" : "notRelevant")}</button>`}
          ${one.role !== "assistant" && html`<button type="button" class="link" onClick=${() => act.ask({ what: "correct", one })}>${t("correct")}</button>`}
          <button type="button" class="link" onClick=${() => act.ask({ what: "forget", one })}>${t("forget")}</button>
        </div>`}
      ${parts.length > 0 && html`
        <details><summary>${t("scoreParts")}</summary>
          <dl class="parts">${parts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value.toFixed(3)}</dd></div>`)}</dl>
        </details>`}
    </li>`;
}

/** The value of a key-value, whose source reads "key: value". */
const valueOf = (one) => one.content.slice(one.id.length + 2);

/** `cited`: the numbers that the answer cites. `looked.n`: the one that the reader asked for; a new object each time. */
export function Sources({ turn, cited, looked, go, here }) {
  const [receipt, set] = useState(null);
  const [error, fail] = useState("");
  const [outcome, say] = useState({});
  const [asked, ask] = useState(null);
  const box = useRef();
  const { project } = here;
  const read = () => get(path(["v1", "receipts", turn])).then(set, (problem) => fail(problem.status === 404 ? t("noReceipt") : told(problem)));
  useEffect(() => { read(); }, [turn]);
  useEffect(() => {
    const source = looked.n && box.current?.querySelector("li.marked");
    if (source) { source.scrollIntoView({ block: "nearest" }); source.focus({ preventScroll: true }); }
  }, [looked, receipt === null]);
  useEffect(() => { if (outcome.said && document.activeElement === document.body) box.current.focus(); }, [outcome]); // the button is gone

  const setRecalled = async (one, recalled) => {
    try {
      await here.setRecalled(one.session_id, one.id, recalled);
      await read();
      say({ said: t(recalled ? "saidRecalled" : "saidNotRecalled") });
    } catch (problem) { say({ refused: told(problem) }); }
  };
  const forget = async ({ one }) => {
    await remove(path(KEPT_UNDER[one.kind](one), one.kind === OF_SESSION ? {} : { project }));
    await Promise.all([read(), one.kind === OF_SESSION && here.letGo(one.session_id, one.id)]);
    return t("saidForgotten");
  };
  const correct = async ({ one }, right) => {
    if (one.kind === "fact") await patch(path(KEPT_UNDER.fact(one)), { text: right, project });
    else if (one.kind === "memory") await put(path(KEPT_UNDER.memory(one)), { value: right, project });
    else {
      const { decisions } = await post("v1/facts", { text: right, project, ...timezone() });
      if (!decisions.length) throw new Error(t("nothingStated"));
      await here.setRecalled(one.session_id, one.id, false);
    }
    await read();
    return t("saidCorrected");
  };
  const close = (done) => { ask(null); say({ said: done }); };

  if (error) return html`<p class="sources soft" role="status">${error}</p>`;
  if (!receipt) return html`<p class="sources soft" role="status">…</p>`;
  const used = receipt.used.filter((one) => cited.includes(one.n));
  const given = receipt.used.filter((one) => !cited.includes(one.n));
  const list = (sources) => html`<ol>${sources.map((one) => html`<${Source} key=${`${one.n} ${one.id}`} one=${one} considered=${receipt.considered} go=${go} act=${{ ask, setRecalled }} marked=${looked.n} />`)}</ol>`;
  return html`
    <section class="sources" aria-label=${t("sources")} tabindex="-1" ref=${box}>
      <p class="hidden" role="status">${outcome.said}</p>
      ${outcome.refused && html`<p class="bad" role="alert">${outcome.refused}</p>`}
      ${asked?.what === "forget" && html`<${Confirm} title=${t("forgetFacts", 1)} text=${asked.one.content} more=${asked.one.kind === OF_SESSION && t("forgetsMessage")} action=${t("forget")} run=${() => forget(asked)} close=${close} />`}
      ${asked?.what === "correct" && html`<${Reword} title=${`${t("correct")}${asked.one.kind === "memory" ? `: ${asked.one.id}` : ""}`} text=${asked.one.kind === "memory" ? valueOf(asked.one) : asked.one.content} says=${asked.one.kind === "turn" && t("correctsMessage")}
        most=${asked.one.kind === "fact" ? 600 : 20_000} save=${(right) => correct(asked, right)} close=${close} />`}
      ${used.length > 0 ? list(used) : html`<p class="soft">${receipt.need_memory ? t("nothingCited") : t("noMemoryNeeded", receipt.memory_reason)}</p>`}
      ${given.length > 0 && html`<details><summary>${t("alsoGiven", given.length)}</summary>${list(given)}</details>`}
      ${receipt.ledger.length > 0 && html`
        <details><summary>${t("promptCost", count(receipt.usage.prompt_tokens))}</summary>
          <table><thead><tr><th scope="col">${t("section")}</th><th scope="col" class="number">${t("tokens")}</th></tr></thead>
            <tbody>${receipt.ledger.map((one) => html`<tr><th scope="row">${one.section}</th><td class="number">${count(one.tokens)}</td></tr>`)}</tbody></table>
        </details>`}
    </section>`;
}
