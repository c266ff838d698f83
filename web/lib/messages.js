// Messages wherever they are shown: the address of one, and those that a search finds.
import { post } from "./api.js";

const LEAST = 0.1; // below this score a message has little to do with what is searched for

/** The address of a chat, or of a message in it. */
export const toChat = (session, message) => `.?${new URLSearchParams({ session, ...(message ? { message } : {}) })}`;

export async function search(query, most, project = null) {
  const { items } = await post("v1/search", { query, top_k: most, min_score: LEAST, project });
  return items;
}
