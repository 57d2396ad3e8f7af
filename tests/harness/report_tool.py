"""A command that renders a report: `render --title T --count N` writes report.txt and says on stdout what it did."""

from __future__ import annotations

import json
import sys


def main(words: list[str]) -> int:
    if words[:1] != ["render"]:
        return 64
    options = dict(zip(words[1::2], words[2::2], strict=False))
    title, count = options.get("--title", ""), options.get("--count", "")
    if not count.isdecimal():
        sys.stdout.write(json.dumps({"ok": False, "error": "count must be a number"}) + "\n")
        return 2
    lines = [f"{title} {number}" for number in range(1, int(count) + 1)]
    with open("report.txt", "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
    sys.stdout.write(json.dumps({"ok": True, "title": title, "lines": len(lines)}) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
