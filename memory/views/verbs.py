"""Which words in the name of a tool say that it does something to things?"""

# How tools are called that change what there is, whatever else their names say.
CHANGING = frozenset(
    {"add", "clear", "create", "delete", "edit", "insert", "make", "mark", "move", "new", "patch", "post", "put",
     "remove", "rename", "replace", "reset", "save", "set", "update", "upsert", "write"}
)  # fmt: skip
# These, and other words for what is done to things.
DOING = CHANGING | frozenset(
    {"accept", "acknowledge", "activate", "adjust", "allocate", "allow", "amend", "append", "apply", "approve",
     "archive", "ask", "assign", "attach", "authorize", "ban", "block", "buy", "cancel", "cast", "change", "checkin",
     "checkout", "choose", "claim", "clone", "close", "commit", "complete", "compose", "configure", "confirm",
     "connect", "convert", "copy", "credit", "debit", "decline", "decrease", "deliver", "deny", "deploy", "destroy",
     "detach", "disable", "discard", "disconnect", "dismiss", "dispatch", "do", "downgrade", "drop", "enable", "end",
     "enqueue", "enroll", "escalate", "exchange", "exec", "execute", "expedite", "extend", "finish", "fix", "flush",
     "forget", "format", "freeze", "generate", "give", "grant", "handle", "hide", "hire", "hold", "import", "increase",
     "install", "invite", "invoke", "join", "kick", "kill", "launch", "learn", "leave", "lend", "lock", "login",
     "logout", "merge", "migrate", "modify", "mount", "mute", "notify", "pay", "pause", "perform", "pin", "play",
     "press", "process", "promote", "propose", "provision", "publish", "pull", "purchase", "purge", "push", "reassign",
     "reboot", "rebook", "redeem", "reduce", "refill", "register", "reject", "release", "relocate", "remember",
     "renew", "rent", "reopen", "replan", "reply", "reschedule", "reserve", "resize", "resolve", "respond", "restart",
     "restore", "resume", "retry", "return", "revert", "revoke", "roll", "rollback", "rotate", "run", "scale", "sell",
     "send", "share", "shut", "sign", "snooze", "split", "spend", "start", "stop", "store", "submit", "subscribe",
     "suspend", "swap", "switch", "sync", "take", "terminate", "toggle", "trade", "transition", "trigger", "turn",
     "type", "unarchive", "unassign", "unblock", "undo", "unfreeze", "uninstall", "unlink", "unlock", "unmute",
     "unpin", "unsubscribe", "upgrade", "upload", "use", "vote", "void", "wait", "waive", "wake", "wipe", "withdraw"}
)  # fmt: skip
# Words for things, too, that say what is done where a name ends with them, or begins with these.
DOING_AT_END = frozenset({"book", "charge", "click", "order", "post", "refund", "ship", "transfer"})
DOING_AT_START = DOING_AT_END | frozenset(
    {"access", "act", "bill", "call", "comment", "dial", "document", "email", "file", "flag", "fork", "issue",
     "label", "link", "log", "mail", "message", "note", "open", "pack", "park", "pass", "pickup", "place", "plan",
     "print", "record", "report", "request", "review", "schedule", "ticket", "tag", "tip", "watch"}
)  # fmt: skip
