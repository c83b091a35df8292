#!/usr/bin/env python3
"""Says what each of several people pays of a bill."""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("total", type=float, help="what the bill says")
parser.add_argument("-p", "--people", type=int, default=2, help="how many share it")
parser.add_argument("--tip", type=float, default=10, metavar="PERCENT",
                    help="added to the bill, in percent")
parser.add_argument("--currency", choices=["EUR", "USD", "GBP"], default="EUR")
parser.add_argument("--round-up", action="store_true", help="to a whole amount")
parser.add_argument("--name", action="append", default=[], help="of a person")


def main():
    args = parser.parse_args()
    share = args.total * (1 + args.tip / 100) / (len(args.name) or args.people)
    if args.round_up:
        share = float(-int(-share // 1))
    for name in args.name or ["each"]:
        print(f"{name}: {share:.2f} {args.currency}")


if __name__ == "__main__":
    main()
