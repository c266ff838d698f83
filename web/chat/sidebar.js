// The sidebar: sessions by date, found by title or by what was said, renamed and deleted; projects; the ways out.
import { Confirm, Edge, html, Icon, Menu, Reword, useState } from "../lib/view.js";
import { hasKey, signOut } from "../lib/api.js";
import { toChat } from "../lib/messages.js";
import { count, date, language, languages, period, speak, t } from "../lib/text.js";

const LATER = 250; // milliseconds after the last key until a search begins
let timer;

function Entry({ session, here, go, act }) {
  const current = here.id === session.id;
  const open = (event) => { if (!event.metaKey && !event.ctrlKey) { event.preventDefault(); go(session.id); } };
  return html`
    <li class=${current ? "current" : ""}>
      <a href=${toChat(session.id)} onClick=${open} aria-current=${current ? "page" : undefined} title=${session.title} dir="auto">${session.title}</a>
      <${Menu} name=${t("actionsOf", session.title)} actions=${[[t("rename"), () => act("rename", session)], [t("delete"), () => act("delete", session), "bad"]]} />
    </li>`;
}

function groups(items) {
  const made = [];
  for (const one of items) {
    const name = period(one.updated_at);
    if (made.at(-1)?.name !== name) made.push({ name, items: [] });
    made.at(-1).items.push(one);
  }
  return made;
}

export function Sidebar({ list, here, go, begin, enter, gone, choose, help }) {
  const [asked, ask] = useState(null);
  const act = (what, session) => ask({ what, session });
  const search = (event) => {
    clearTimeout(timer);
    list.query = event.target.value.trim();
    timer = setTimeout(() => list.read(), LATER);
  };
  const close = () => ask(null);
  return html`
    <nav class="sidebar" id="sidebar" aria-label=${t("sessions")}>
      <button type="button" class="begin" onClick=${() => begin()}><${Icon} name="plus" />${t("newChat")}</button>
      <label class="search"><${Icon} name="search" /><span class="hidden">${t("searchChats")}</span>
        <input type="search" placeholder=${t("searchChats")} maxlength="200" onInput=${search} /></label>
      ${list.projects.length > 0 && html`
        <label><span class="hidden">${t("project")}</span>
          <select onChange=${(event) => choose(event.target.value || null)} value=${list.project || ""}>
            <option value="">${t("allProjects")}</option>
            ${list.projects.map((one) => html`<option value=${one.name}>${one.name}</option>`)}
          </select></label>`}
      <div class="sessions">
        ${list.error && html`<p class="bad" role="alert">${list.error}</p>`}
        ${list.error && html`<button type="button" onClick=${enter}>${t(list.refused ? "enterKey" : "sendAgain")}</button>`}
        ${groups(list.items).map((group) => html`
          <h2 key=${group.name}>${group.name}</h2>
          <ul key=${`${group.name} list`}>${group.items.map((one) => html`<${Entry} key=${one.id} session=${one} here=${here} go=${go} act=${act} />`)}</ul>`)}
        ${list.cursor !== null && !list.error && html`<${Edge} box=".sessions" reach=${() => list.more()} />`}
        ${list.query && html`
          <h2>${t("inMessages")}</h2>
          ${list.found.length === 0 && html`<p class="soft">${t("nothingFound")}</p>`}
          <ul class="found">${list.found.map((one) => html`
            <li key=${one.id}><a href=${toChat(one.session_id, one.id)} onClick=${(event) => { event.preventDefault(); go(one.session_id, one.id); }}>
              <span class="soft">${date(one.timestamp)}</span> ${one.content.slice(0, 120)}</a></li>`)}</ul>`}
      </div>
      <footer>
        <a href="memory">${t("memory")}</a><a href="admin">${t("admin")}</a>
        <button type="button" class="link" onClick=${help}>${t("shortcuts")}</button>
        ${hasKey() && html`<button type="button" class="link" onClick=${() => { signOut(); location.assign("."); }}>${t("signOut")}</button>`}
        <label><span class="hidden">${t("language")}</span><select class="link" value=${language} onChange=${(event) => speak(event.target.value)}>
          ${languages.map(([code, name]) => html`<option value=${code}>${name}</option>`)}</select></label>
      </footer>
      ${asked?.what === "rename" && html`<${Reword} title=${t("rename")} label=${t("title")} text=${asked.session.title} most="200" save=${(title) => list.rename(asked.session.id, title)} close=${close} />`}
      ${asked?.what === "delete" && html`
        <${Confirm} title=${t("deleteChat")} text=${t("deletesChat", asked.session.title, count(asked.session.message_count))} action=${t("delete")}
          run=${async () => { await list.delete(asked.session.id); gone(asked.session.id); }} close=${close} />`}
    </nav>`;
}
