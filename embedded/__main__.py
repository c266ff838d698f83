"""`python -m embedded --home H [--port P] [--idle-exit S]`: the store as a process of its own."""

import argparse
import logging
import sys
from pathlib import Path

from embedded.server import serve
from embedded.starting import EXIT_ALREADY_RUNNING, EXIT_REFUSED, AlreadyRunning, StoreStartError


def main() -> int:
    parser = argparse.ArgumentParser(prog="embedded", description="Loci's built-in store")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--idle-exit", type=float, default=None)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(levelname)s %(message)s")
    try:
        serve(options.home, options.port, options.idle_exit)
    except StoreStartError as error:
        logging.getLogger(__name__).error("%s", error)
        return EXIT_ALREADY_RUNNING if isinstance(error, AlreadyRunning) else EXIT_REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
