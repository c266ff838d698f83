"""Users, of whom there are none: whoever reaches the store's port may do everything."""

from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, now


def connection_status(call: Call) -> bytes:
    nobody: Document = {"authenticatedUsers": [], "authenticatedUserRoles": []}
    if call.boolean("showPrivileges"):
        nobody["authenticatedUserPrivileges"] = []
    return encode_reply({"authInfo": nobody})


def users_info(call: Call) -> bytes:
    return encode_reply({"users": []})


def roles_info(call: Call) -> bytes:
    return encode_reply({"roles": []})


def log_out(call: Call) -> bytes:
    return encode_reply({})


COMMANDS: dict[str, Command] = {
    "connectionStatus": now(connection_status, "connectionStatus", "showPrivileges"),
    "usersInfo": now(
        users_info,
        *("usersInfo", "showCredentials", "showCustomData", "showPrivileges"),
        *("showAuthenticationRestrictions", "filter"),
    ),
    "rolesInfo": now(
        roles_info,
        *("rolesInfo", "showPrivileges", "showBuiltinRoles", "showAuthenticationRestrictions"),
    ),
    "logout": now(log_out, "logout"),
}
