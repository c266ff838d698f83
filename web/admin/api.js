// How the admin page reaches its routes: with a key that this tab alone keeps.
import { door, path } from "../lib/api.js";
import { t } from "../lib/text.js";

const admin = door({
  storage: sessionStorage,
  name: "admin-key",
  label: "adminKey",
  refusals: [403, 401],
  explain: (detail) => detail || t("notThisKey"),
});

export const { hasKey, forgetKey: signOut } = admin;

/** A path below /v1/admin. */
export const pathOf = (parts, parameters) => `/${path(parts, parameters)}`;

/** The JSON that a route answers. */
export const call = (at) => admin.get(`v1/admin${at}`);
export const post = (at, json) => admin.post(`v1/admin${at}`, json);
export const remove = (at) => admin.remove(`v1/admin${at}`);

/** A file that a route answers. */
export const read = async (at) => (await admin.request(`v1/admin${at}`)).blob();
