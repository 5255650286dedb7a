"""Write the tutorial's pages as Jupyter notebooks, without outputs.

    python docs/tutorial/notebooks.py [--check]

A `python` block becomes a cell; so does each command of a `console` block, after `!`, without the
lines that it prints. Everything else is text. `--check` writes nothing and fails if a notebook is
stale; the tests run it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCK = re.compile(r"```(console|python)\n(.*?)```\n", re.DOTALL)
WRONG_INPUT = 2  # exit code, see docs/reference/exit-codes.md
# Commands and programs name files from the root of a clone. Each expression shows its value.
START = """import os
from IPython.core.interactiveshell import InteractiveShell

InteractiveShell.ast_node_interactivity = "all"
while not os.path.isdir("examples"):
    assert os.getcwd() != "/", "open this notebook in a clone of odonata"
    os.chdir("..")
os.makedirs("out", exist_ok=True)"""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a page in order: `markdown`, `python` or `console`, and the content."""
    parts = BLOCK.split(text)
    yield "markdown", parts[0].strip()
    for kind, block, words in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        yield kind, block.rstrip()
        yield "markdown", words.strip()


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Commands of a `console` block, each with the lines that the page shows as its output."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def cells(text: str) -> list[tuple[str, str]]:
    """Kind and content of each cell of a page."""
    title, rest = text.split("\n", 1)
    found = [("markdown", title), ("code", START)]
    for kind, content in blocks(rest):
        if kind == "console":
            content = "\n".join(f"!{command}" for command, _ in commands(content))
        found.append((kind if kind == "markdown" else "code", content))
    return [(kind, content) for kind, content in found if content]


def site_cells(text: str) -> list[tuple[str, str]]:
    """The cells of a page on the site. Kind `check` is a code cell that is not shown: it fails if
    the command before it ended with another exit code than in the page."""
    found = []
    for kind, content in blocks(text):
        if kind != "console":
            found.append((kind if kind == "markdown" else "code", content))
            continue
        for command, output in commands(content):
            found += [("code", f"! {command}"), ("check", check(command, output))]
    return [(kind, content) for kind, content in found if content]


def check(command: str, output: list[str]) -> str:
    """A cell that fails unless the last command had the exit code that its output implies."""
    wanted = WRONG_INPUT if output and output[0].startswith("odonata: error:") else 0
    return f"assert _exit_code == {wanted}, (_exit_code, {command!r})"


def final(output: str) -> str:
    """Output of a terminal without styles, and without progress lines that were overwritten."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.replace("\r\n", "\n"))
    return re.sub(r"[^\n]*\r", "", plain)


def notebook(text: str) -> str:
    """A page as the JSON of a notebook."""
    parts = []
    for nth, (kind, content) in enumerate(cells(text), 1):
        cell = {"cell_type": kind, "id": f"cell-{nth}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        parts.append(cell | {"source": content.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book = {"cells": parts, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    given = parser.parse_args()
    stale = []
    for page in sorted(HERE.glob("*.md")):
        path, text = page.with_suffix(".ipynb"), notebook(page.read_text(encoding="utf-8"))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not given.check:
                path.write_text(text, encoding="utf-8")
    if given.check and stale:
        print(f"stale: {', '.join(stale)}; run docs/tutorial/notebooks.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
