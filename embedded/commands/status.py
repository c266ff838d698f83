"""The server's status: what it has done since it started, and the machine that it runs on."""

import datetime
import os
import platform
import resource
import socket
import sys
import time
from pathlib import Path

from bson import Int64

from embedded.activity import Activity
from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, lenient, now
from embedded.commands.greeting import VERSION

_MEBIBYTE = 1024 * 1024
_UNLIMITED = 2**31 - 1
_STATM = Path("/proc/self/statm")


def server_status(call: Call) -> bytes:
    """The sections that are not switched off (`{metrics: 0}`); what MongoDB has and the store has not is left out."""
    activity = call.store.activity
    uptime = time.monotonic() - activity.started
    status: Document = {
        "host": platform.node(),
        "version": VERSION,
        "process": "loci",
        "pid": Int64(os.getpid()),
        "uptime": uptime,
        "uptimeMillis": Int64(uptime * 1000),
        "uptimeEstimate": Int64(uptime),
        "localTime": datetime.datetime.now(datetime.UTC),
        "connections": _connections(activity),
        "globalLock": _locks(activity, uptime),
        "mem": _memory(),
        "metrics": {"cursor": {"open": {"total": Int64(len(call.store.cursors))}}},
        "network": {
            "bytesIn": Int64(activity.bytes_in),
            "bytesOut": Int64(activity.bytes_out),
            "numRequests": Int64(activity.requests),
        },
        "opcounters": {kind: Int64(number) for kind, number in activity.operations.items()},
        "storageEngine": {"name": "sqlite", "persistent": True, "readOnly": False},
    }
    return encode_reply({name: section for name, section in status.items() if call.body.get(name, True)})


def _connections(activity: Activity) -> Document:
    """Each connection takes one of the files that the system lets the process open."""
    current = len(activity.clients)
    busy = {operation.client.number for operation in activity.running() if operation.client}
    return {
        "current": current,
        "available": max(0, _open_files() - current),
        "totalCreated": activity.clients_ever,
        "active": len(busy),
    }


def _open_files() -> int:
    """How many files the process may have open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _UNLIMITED if files == resource.RLIM_INFINITY else min(files, _UNLIMITED)


def _locks(activity: Activity, uptime: float) -> Document:
    """What reads and writes at the moment, and what waits for a thread to do so."""
    queued, active = [0, 0], [0, 0]
    for operation in activity.running():
        (queued if operation.waiting else active)[operation.writes] += 1
    return {
        "totalTime": Int64(uptime * 1e6),
        "currentQueue": {"total": sum(queued), "readers": queued[False], "writers": queued[True]},
        "activeClients": {"total": sum(active), "readers": active[False], "writers": active[True]},
    }


def _memory() -> Document:
    """In MiB; only Linux tells what is held at the moment."""
    try:
        virtual, resident, *_ = map(int, _STATM.read_text().split())
    except OSError:
        return {"bits": 64, "supported": False}
    page = os.sysconf("SC_PAGE_SIZE")
    return {
        "bits": 64,
        "resident": resident * page // _MEBIBYTE,
        "virtual": virtual * page // _MEBIBYTE,
        "supported": True,
    }


def host_info(call: Call) -> bytes:
    page, pages = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
    return encode_reply(
        {
            "system": {
                "currentTime": datetime.datetime.now(datetime.UTC),
                "hostname": socket.gethostname(),
                "cpuAddrSize": 64,
                "memSizeMB": Int64(page * pages // _MEBIBYTE),
                "numCores": os.cpu_count() or 1,
                "cpuArch": platform.machine(),
            },
            "os": {"type": platform.system(), "name": _system(), "version": platform.release()},
            "extra": {
                "versionString": platform.version(),
                "kernelVersion": platform.release(),
                "pageSize": Int64(page),
                "numPages": pages,
                "maxOpenFiles": _open_files(),
                "python": sys.version.split()[0],
            },
        }
    )


def _system() -> str:
    """The distribution's name, or the system's."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


COMMANDS: dict[str, Command] = {
    "serverStatus": lenient(server_status),
    "hostInfo": now(host_info, "hostInfo"),
}
