"""The picture of the targets in CONTRIBUTING.md, made from Package.swift: each target with its comment and its arrows.

An arrow is left out where another one leads to the same target or package.
"""
import re
import textwrap

from swift_build import ROOT

DOCUMENT = "CONTRIBUTING.md"
BEGIN, END = "<!-- scripts/check-docs --write -->\n", "<!-- end -->\n"
LISTS = ("library", "landscape", "command")
TARGET = re.compile(r'((?:^    //[^\n]*\n)*)^    \.(\w+)\(\s*name: "(\w+)"(.*?)(?=^    \.|^    //|\Z)', re.M | re.S)
ALIAS = re.compile(r"^let (\w+): Target\.Dependency = (.+(?:\n    .+)*)$", re.M)
DEPENDENCY = re.compile(
    r'\.target\(name: "(?P<target>\w+)", condition: \.when\((?:platforms: \[(?P<platforms>[^\]]*)\]|traits: \["\w+"\])\)\)'
    r'|\.product\(\s*name: "\w+", package: "(?P<package>[\w.-]+)"(?:, condition: \.when\(traits: \["\w+"\]\))?\)'
    r'|"(?P<name>\w+)"|(?P<alias>\w+)')
SYSTEMS = {".linux": "Linux", ".macOS, .iOS": "Apple"}


class Manifest:
    def __init__(self, text):
        aliases = dict(ALIAS.findall(text))
        # For each target, in the order of the manifest: its comment, and its dependencies with their systems.
        self.comments, self.arrows, self.libraries = {}, {}, set()
        for name in LISTS:
            found = re.search(rf"^let {name}: \[Target\] = \[\n(.*?)^\]", text, re.M | re.S)
            if not found:
                raise SystemExit(f"Package.swift has no list called {name}")
            for comment, kind, target, rest in TARGET.findall(found[1]):
                self.arrows[target] = dict(dependencies(rest, aliases, target))
                self.comments[target] = " ".join(line.strip("/ ") for line in comment.splitlines())
                if kind == "systemLibrary":
                    self.libraries.add(target)

    def problems(self):
        declared = set()
        for target, arrows in self.arrows.items():
            if not self.comments[target]:
                yield f"Package.swift: {target} has no comment"
            for other in sorted(arrows.keys() & self.arrows.keys() - declared):
                yield f"Package.swift: {target} depends on {other}, which is not above it"
            declared.add(target)

    def reached(self, target):
        """Everything that the arrows of a target lead to, on every system."""
        found = set()
        for other, systems in self.arrows.get(target, {}).items():
            if not systems:
                found |= {other} | self.reached(other)
        return found

    def block(self):
        lines = []
        for target in reversed(self.arrows):
            if target in self.libraries:
                continue
            arrows = self.arrows[target]
            beyond = set().union(*(self.reached(other) for other, systems in arrows.items() if not systems))
            shown = [f"{other} ({systems})" if systems else other for other, systems in arrows.items() if other not in beyond]
            lines.append(f"{target}: {self.comments[target]}")
            line = "─▶ " + ", ".join(shown or ["nothing"])
            lines += textwrap.wrap(line, 118, initial_indent="  ", subsequent_indent="     ", break_on_hyphens=False)
        return "```\n" + "\n".join(lines) + "\n```\n"


def dependencies(text, aliases, target):
    text = text.partition("dependencies: [")[2].partition("linkerSettings:")[0].rpartition("]")[0]
    if unknown := re.sub(r"[\s,]", "", DEPENDENCY.sub("", text)):
        raise SystemExit(f"Package.swift: arrows.py does not understand {unknown} in the dependencies of {target}")
    for found in DEPENDENCY.finditer(text):
        if found["alias"]:
            found = DEPENDENCY.match(aliases[found["alias"]])
        name = found["target"] or found["name"] or found["package"].removesuffix(".swift")
        yield name, SYSTEMS[found["platforms"]] if found["platforms"] else ""


def check(write=False):
    """The problems of the manifest, or of a picture that differs from it; `write` replaces the picture instead."""
    manifest = Manifest((ROOT / "Package.swift").read_text())
    if problems := list(manifest.problems()):
        return problems
    document = ROOT / DOCUMENT
    text = document.read_text()
    before, _, rest = text.partition(BEGIN)
    wanted = before + BEGIN + manifest.block() + END + rest.partition(END)[2]
    if write:
        document.write_text(wanted)
    elif text != wanted:
        return [f"{DOCUMENT}: the picture of the targets differs from Package.swift: run scripts/check-docs --write"]
    return []
