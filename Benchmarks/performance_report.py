"""docs/performance.md: the first part, by Benchmarks/all, and a section each of other commands."""
import pathlib

REPORT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def heading(title):
    return f"\n## {title}\n"


def first_part():
    return REPORT.read_text().partition("\n## ")[0]


def other_sections():
    return "".join(REPORT.read_text().partition("\n## ")[1:]) if REPORT.exists() else ""


def section(title):
    """Its text, or nothing."""
    return REPORT.read_text().partition(heading(title))[2].partition("\n## ")[0]


def replace(title, text):
    """Writes a section in the place of the one with its title, or behind all."""
    head, _, tail = REPORT.read_text().partition(heading(title))
    REPORT.write_text(head.rstrip("\n") + "\n" + heading(title) + "\n" + text.strip("\n") + "\n" + "".join(tail.partition("\n## ")[1:]))
