// What this browser keeps of chats: drafts and options, gone with the chat, and when the user signs out or forgets all.
export const DRAFT = "draft ";
export const OPTIONS = "options ";

/** Of one chat, or of all. */
export function forgetChats(id = null) {
  const names = Object.keys(localStorage).filter((name) => (id === null
    ? name.startsWith(DRAFT) || name.startsWith(OPTIONS) : name === DRAFT + id || name === OPTIONS + id));
  for (const name of names) localStorage.removeItem(name);
}
