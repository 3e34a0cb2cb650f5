#!/usr/bin/env python3
"""Asks `maxtile engine` about positions: every query at once, answers as they come.

    python3 docs/examples/engine_client.py ba98000012340001 0123012301230123
    python3 docs/examples/engine_client.py --ms 100 ba98000012340001
"""

import argparse
import json
import subprocess
import sys


class Engine:
    """A running engine. `ask` sends a query, `answers` yields what comes back."""

    def __init__(self, program="maxtile"):
        self.process = subprocess.Popen(
            [program, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **query):
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()

    def answers(self):
        """Closes the conversation and yields the rest of the answers."""
        self.process.stdin.close()
        for line in self.process.stdout:
            yield json.loads(line)
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("positions", nargs="+")
    parser.add_argument("--ms", type=float, help="milliseconds for a position")
    parser.add_argument("--program", default="maxtile")
    arguments = parser.parse_args()

    engine = Engine(arguments.program)
    limits = {"ms": arguments.ms} if arguments.ms else {"depth": 3}
    for number, position in enumerate(arguments.positions):
        engine.ask(id=number, position=position, limits=limits)
    failed = False
    for answer in engine.answers():
        if "error" in answer:
            failed = True
            print(f"{answer['id']}: {answer['field']}: {answer['error']}", file=sys.stderr)
            continue
        moves = ", ".join(f"{move['move']} {move['value']:.0f}" for move in answer["moves"])
        print(f"{answer['position']}: {moves or 'no move is left'}  (depth {answer['depth']})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
