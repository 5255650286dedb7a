"""Assembles the site's source from the tree: pages, their order, notebooks, the API reference.

MkDocs calls `on_config`. The source folder has the tree's layout, so that the links of pages work
on the site as they do in the tree. The tutorial's pages become notebooks, which are executed here:
a site shows what its own version prints.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "tutorial"))  # MkDocs loads this file by its path

import notebooks  # noqa: E402

SOURCE = ROOT / "target" / "site-source"
PYTHON = ROOT / ".venv" / "bin" / "python"
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
TUTORIAL = "docs/tutorial/"
STYLES = "docs/site/site.css"
REFERENCE = "docs/reference/"
API = f"{REFERENCE}api.md"
# Sections of the navigation: title and the folder of its pages. The first match counts.
SECTIONS = (
    ("Tutorial", TUTORIAL),
    ("Models", "docs/models/"),
    ("Limits", "docs/limits/"),
    ("Reference", REFERENCE),
    ("Lab notes", "docs/lab/"),
    ("Guide", "docs/"),
    ("Project", ""),
)
ORDER = ("Tutorial", "Guide", "Models", "Limits", "Reference", "Lab notes", "Project")
# Fragments from which other pages are made.
PARTS = ("validation/results.head.md",)
# Folders that the tutorial's commands read.
SHOWN = ("examples", "machines", "testdata", "docs", "python")
SECONDS = 600  # guard against a hanging cell


def on_config(config):
    pages = tracked_pages()
    shutil.rmtree(SOURCE, ignore_errors=True)
    for page in pages:
        copy(page)
    for page in pages:
        for target in linked_files(page):
            copy(target)
    copy(STYLES)
    for page in [p for p in pages if p.startswith(TUTORIAL)]:
        execute(page)
    (SOURCE / API).write_text(api_page(), encoding="utf-8")
    retarget_tutorial(pages)
    config["docs_dir"] = str(SOURCE)
    config["nav"] = navigation([*pages, API])
    return config


def tracked_pages() -> list[str]:
    """Every Markdown page that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stdout
    return sorted(p for p in set(listed.split()) - set(PARTS) if (ROOT / p).is_file())


def copy(path: str) -> None:
    (SOURCE / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, SOURCE / path)


def links_of(page: str) -> list[str]:
    """Targets of a page's links within the tree, as paths from the root."""
    found = []
    for target, _ in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            found.append(os.path.normpath(os.path.join(os.path.dirname(page), target)))
    return found


def linked_files(page: str) -> list[str]:
    """Files that a page links to and that are no pages: pictures, sources, licenses."""
    return [p for p in links_of(page) if not p.endswith(".md") and (ROOT / p).is_file()]


def title_of(page: str) -> str:
    """The first heading. Plain text, because the navigation shows it."""
    if page == API:
        return "Python API"
    heading = re.search(r"(?m)^# (.+)$", (ROOT / page).read_text(encoding="utf-8"))
    return re.sub(r"[`*]", "", heading[1]) if heading else Path(page).stem


def navigation(pages: list[str]) -> list:
    """Pages by section, in the order in which docs/README.md links them."""
    listed = links_of("docs/README.md")
    sections: dict[str, list[str]] = {title: [] for title in ORDER}
    home = "README.md"
    for page in pages:
        if page != home:
            title = next(title for title, folder in SECTIONS if page.startswith(folder))
            sections[title].append(page)

    def place(page: str) -> tuple:
        rank = listed.index(page) if page in listed else len(listed)
        return (not page.endswith("README.md"), rank, page)

    nav: list = [{"Home": home}]
    for title, members in sections.items():
        entries = [{title_of(p): notebook_of(p)} for p in sorted(members, key=place)]
        nav.append({title: entries})
    return nav


def notebook_of(page: str) -> str:
    tutorial = page.startswith(TUTORIAL) and page.endswith(".md")
    return page.removesuffix(".md") + ".ipynb" if tutorial else page


def cells(text: str) -> list:
    """Cells of a tutorial page; those that check an exit code have it in their metadata."""
    found = []
    for kind, content in notebooks.site_cells(text):
        if kind == "markdown":
            found.append(nbformat.v4.new_markdown_cell(content))
        else:
            about = {"check": True} if kind == "check" else {}
            found.append(nbformat.v4.new_code_cell(content, metadata=about))
    return found


def execute(page: str) -> None:
    """Writes a tutorial page as an executed notebook, in place of the page."""
    copied = SOURCE / page
    book = nbformat.v4.new_notebook(cells=cells(copied.read_text(encoding="utf-8")))
    language = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book.metadata["kernelspec"] = language
    # The package that `make` builds, in a scratch folder that shows the tree's files.
    os.environ["PATH"] = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT / "python"), *map(str, PYTHON.parents[1].glob("lib/python3*/site-packages"))]
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in SHOWN:
            (Path(folder) / name).symlink_to(ROOT / name)
        (Path(folder) / "out").mkdir()
        NotebookClient(
            book,
            timeout=SECONDS,
            resources={"metadata": {"path": folder}},
            # Every expression of a cell shows its value, not only the last one.
            extra_arguments=["--InteractiveShell.ast_node_interactivity=all"],
        ).execute()  # a cell that fails ends the build
    book.cells = [cell for cell in book.cells if not cell.metadata.get("check")]
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = notebooks.final(output["text"])
    nbformat.write(book, copied.with_suffix(".ipynb"))
    copied.unlink()


def retarget_tutorial(pages: list[str]) -> None:
    """Points links to the tutorial's pages at its notebooks."""
    for page in pages:
        path = SOURCE / notebook_of(page)
        text = path.read_text(encoding="utf-8")
        changed = LINK.sub(lambda m: retargeted(page, m), text)
        if changed != text:
            path.write_text(changed, encoding="utf-8")


def retargeted(page: str, link: re.Match) -> str:
    target = os.path.normpath(os.path.join(os.path.dirname(page), link[1]))
    if target.startswith(TUTORIAL) and target.endswith(".md"):
        return link[0].replace(".md", ".ipynb", 1)
    return link[0]


def api_page() -> str:
    """Every public name of the package, documented from its docstring."""
    script = (
        "import inspect, json, odonata\n"
        "names = [n for n in odonata.__all__ if not inspect.ismodule(getattr(odonata, n))]\n"
        "things = {n: getattr(odonata, n) for n in names}\n"
        "things = dict(sorted(things.items(), key=lambda nt: inspect.isclass(nt[1])))\n"
        "print(json.dumps([f'{t.__module__}.{t.__qualname__}' if hasattr(t, '__qualname__')\n"
        "                  else f'odonata.{n}' for n, t in things.items()]))\n"
    )
    done = subprocess.run([PYTHON, "-c", script], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the package cannot be imported: {done.stderr}")
    lines = ["# Python API", "", "From the docstrings. See also [the short form](python.md)."]
    lines += ["", "```python", "import odonata as od", "```", ""]
    for name in json.loads(done.stdout):
        lines += [f"::: {name}", ""]
    return "\n".join(lines)
