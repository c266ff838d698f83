// API keys: whose each is and what for; one is made, and one that was made here is rotated or revoked.
import { copy } from "../lib/clipboard.js";
import { t } from "../lib/text.js";
import { call, pathOf, post, remove } from "./api.js";
import { ago, busy, el, field, link, table } from "./parts.js";

const ACTS = "acts"; // of a key: for the users whom requests name
const MADE = "loci_"; // how those begin that were made here; others are told by their hash

const button = (text, kind = "", given = {}) => el("button", { type: "button", class: kind, ...given }, text);

/** Asks before something is done. `work` does it; `then` goes on with what it gave, once the dialog is closed. */
function ask(title, text, action, work, then) {
  const [cancel, go] = [button(t("cancel")), el("button", { class: "danger" }, action)];
  const form = el("form", {}, el("p", {}, text), el("div", { class: "row end" }, cancel, go));
  const dialog = el("dialog", { "aria-labelledby": "asked" }, el("h2", { id: "asked" }, title), form);
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(go, async () => {
      const done = await work();
      dialog.close();
      await then(done);
    });
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** A new key, with the button that copies it, which is what to do next. */
function showKey(holder, key) {
  const [shown, copying] = [el("code", {}, key), button(t("copy"), "", { "aria-describedby": "once" })];
  copying.addEventListener("click", () => copy(key, (text) => { copying.textContent = text; }));
  holder.replaceChildren(el("div", { class: "notice" }, el("p", { id: "once" }, t("keyShownOnce")), el("div", { class: "row" }, shown, copying)));
  copying.focus();
}

function say(holder, text) {
  const notice = el("p", { class: "notice", tabIndex: -1 }, text);
  holder.replaceChildren(notice);
  notice.focus();
}

function formOf(make) {
  const whose = el("select", {}, new Option(t("oneUser"), ""), new Option(t("actsForUsers"), ACTS));
  const user = el("input", { maxLength: 200, required: true, autocomplete: "off" });
  const name = el("input", { maxLength: 200, autocomplete: "off" });
  const go = el("button", { class: "primary" }, t("makeKey"));
  const form = el("form", { class: "tools" }, field(t("keyFor"), whose), field(t("userId"), user), field(t("whatFor"), name), go);
  whose.addEventListener("change", () => { user.disabled = whose.value === ACTS; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const owner = whose.value === ACTS ? { acts_for_users: true } : { user_id: user.value };
    busy(go, async () => { await make({ ...owner, name: name.value.trim() || null }); });
  });
  return form;
}

export async function keysView() {
  const [holder, fresh] = [el("div"), el("div", { role: "status" })];
  const made = async ({ key }) => { await list(); showKey(fresh, key); };
  const revoked = async (shown) => { await list(); say(fresh, t("keyRevoked", shown)); };

  function doings(one, shown) {
    if (one.configured) return "API_KEYS";
    const [rotate, revoke] = ["rotate", "revoke"].map((name) => button(t(name), "plain", { "aria-label": `${t(name)}: ${shown}` }));
    rotate.addEventListener("click", () => ask(t("rotateKey", shown), t("rotatesKey"), t("rotate"),
      () => post(pathOf(["keys", one.id, "rotate"])), made));
    revoke.addEventListener("click", () => ask(t("revokeKey", shown), t("revokesKey"), t("revoke"),
      () => remove(pathOf(["keys", one.id])), () => revoked(shown)));
    return el("span", { class: "row" }, rotate, revoke);
  }

  async function list() {
    const { items } = await call("/keys");
    const keys = table(t("apiKeys"), [t("keyBegins"), t("user"), t("whatFor"), t("keyMade"), t("usedLast"), t("actions")], items.map((one) => {
      const shown = `${one.id.startsWith(MADE) ? "" : "SHA-256 "}${one.id}…`;
      return [el("code", {}, shown), one.acts_for_users ? t("actsForUsers") : link(one.user_id, "users", one.user_id), one.name || "–",
        ago(one.created_at), ago(one.used_at), doings(one, shown)];
    }));
    holder.replaceChildren(items.length ? keys : el("p", { class: "none" }, t("nothingYet")));
  }

  await list();
  return [el("h2", {}, t("apiKeys")), el("p", { class: "about" }, t("aboutKeys")), formOf(async (json) => made(await post("/keys", json))), fresh, holder];
}
