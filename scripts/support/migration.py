"""Checks the tables of Objective-C names and their Swift successors: each Swift name must be a public declaration."""
import re

from repository import tracked
from swift_build import ROOT

OLD, NEW = "Objective-C", "Swift"
NAME = re.compile(r"^\.?`?[A-Za-z_]\w*(?:[./]\w+)*(?:\((?:[\w:]*|…)\))?$")
# Names of the platform, and words of the language.
FOREIGN = {"true", "false", "nil", "NSError", "Task", "Codable"}


def rows(text):
    """Line numbers and the Swift cell of each row of such a table."""
    column = None
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")] if line.startswith("|") else []
        if not cells:
            column = None
        elif column is None:
            column = cells.index(NEW) if OLD in cells and NEW in cells else -1
        elif column > 0 and len(cells) > column and not set(cells[column]) <= set("-: "):
            yield number, cells[column]


class Declared:
    """Public declarations by the end of their path."""

    def __init__(self, paths):
        self.members = {}
        for path in paths:
            base, labels = self.split(path[-1])
            self.members.setdefault(base, []).append((path[:-1], labels))

    @staticmethod
    def split(name):
        base, _, labels = name.partition("(")
        return base, labels.rstrip(")").split(":")[:-1] if labels else []

    def has(self, name):
        *owners, last = re.split(r"[./]", name.lstrip("."))
        base, labels = self.split(last)
        return any(
            list(path[len(path) - len(owners):]) == owners and self.in_order(labels, there)
            for path, there in self.members.get(base, []))

    @staticmethod
    def in_order(labels, there):
        """Parameters with defaults may be left out."""
        rest = iter(there)
        return labels in ([], ["…"]) or all(label in rest for label in labels)


def problems(paths):
    declared = Declared(paths)
    for name in tracked():
        if not name.endswith(".md"):
            continue
        for number, cell in rows((ROOT / name).read_text()):
            for code in re.findall(r"`+([^`]+)`+", cell):
                if NAME.match(code) and code not in FOREIGN and not declared.has(code):
                    yield f"{name}:{number}: `{code}` is no public declaration"
