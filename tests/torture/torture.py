"""Fault injection and kills; scripts/torture calls this. Needs OPENWORLD_BIN, and OPENWORLD_SHIMS for faults."""

import argparse
import sys

import faults
import kill


def parse(arguments):
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fault = commands.add_parser("faults", help="every call into the system fails once")
    fault.add_argument("names", nargs="*", metavar="COMMAND", help=f"of {', '.join(faults.COMMANDS)} [all]")
    fault.add_argument("--most", type=int, help="at most so many calls of each kind, drawn at random [all]")
    fault.add_argument("--seed", type=int, default=1, help="of that draw")
    killed = commands.add_parser("kill", help="tuning is killed and resumed")
    killed.add_argument("kills", type=int, metavar="N", help="so many kills")
    killed.add_argument("--seed", type=int, default=1, help="of their moments")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if options.command == "faults":
        return faults.main(options.names or list(faults.COMMANDS), options.most, options.seed)
    return kill.main(options.kills, options.seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
