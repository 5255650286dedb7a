"""Write the tutorial's pages as Jupyter notebooks, without outputs.

    python docs/tutorial/notebooks.py [--check]

A `python` block becomes a cell; so does each command of a `console` block, after `!`, without the
lines that it prints. Everything else is text. `--check` writes nothing and fails if a notebook is
stale; the tests run it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCK = re.compile(r"```(console|python)\n(.*?)```\n", re.DOTALL)
# Commands and programs name files from the root of a clone. Each expression shows its value.
START = """import os
from IPython.core.interactiveshell import InteractiveShell

InteractiveShell.ast_node_interactivity = "all"
while not os.path.isdir("examples"):
    assert os.getcwd() != "/", "open this notebook in a clone of odonata"
    os.chdir("..")
os.makedirs("out", exist_ok=True)"""


def cells(text: str) -> list[tuple[str, str]]:
    """Kind and content of each cell of a page."""
    title, rest = text.split("\n", 1)
    found = [("markdown", title), ("code", START)]
    parts = BLOCK.split(rest)
    found.append(("markdown", parts[0].strip()))
    for kind, block, words in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if kind == "python":
            found.append(("code", block.rstrip()))
        else:
            commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
            found.append(("code", "\n".join(f"!{command}" for command in commands)))
        found.append(("markdown", words.strip()))
    return [(kind, content) for kind, content in found if content]


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
    stale = []
    for page in sorted(HERE.glob("*.md")):
        path, text = page.with_suffix(".ipynb"), notebook(page.read_text(encoding="utf-8"))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if "--check" in sys.argv and stale:
        print(f"stale: {', '.join(stale)}; run docs/tutorial/notebooks.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
