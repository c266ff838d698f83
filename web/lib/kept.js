// What this browser keeps of chats: drafts and options. They go with the chat, on signing out, and with "Forget everything".
export const DRAFT = "draft ";
export const OPTIONS = "options ";

/** Forgets what is kept of one chat, or of all. */
export function forgetChats(id = null) {
  const names = Object.keys(localStorage).filter((name) => (id === null
    ? name.startsWith(DRAFT) || name.startsWith(OPTIONS) : name === DRAFT + id || name === OPTIONS + id));
  for (const name of names) localStorage.removeItem(name);
}
