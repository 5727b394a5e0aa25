"""Compiles the code of the products' articles, each block as a program of its own."""
import concurrent.futures
import re
import subprocess

from swift_build import ROOT, c_modules, products, targets, tool, write_if_changed

FOLDER = ROOT / ".build" / "snippets"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)


def landing_page(target):
    return ROOT / "Sources" / target / f"{target}.docc" / f"{target}.md"


def blocks(page):
    """The programs of an article, each with the line before it: what imports nothing is a piece of one, but for landing
    pages, which have no pieces."""
    text = page.read_text()
    for block in BLOCK.finditer(text):
        if block[1].startswith("import ") or page.stem == page.parent.stem:
            yield text.count("\n", 0, block.start(1)), block[1]


def is_apple(code):
    """Whether a program is for Apple's systems, where scripts/check-apple compiles it."""
    return "import SwiftUI\n" in code


def located(page, line, code):
    """So that messages name the article and its line."""
    return f'#sourceLocation(file: "{page.relative_to(ROOT)}", line: {line + 1})\n{code}'


def check():
    """What the compiler says against the code; also names products without a landing page."""
    found, problems = [], []
    for product, names in products().items():
        pages = [page for page in map(landing_page, names) if page.exists()]
        if not pages:
            problems.append(f"{landing_page(names[0]).relative_to(ROOT)}: the product {product} has no landing page")
        for page in (article for page in pages for article in sorted(page.parent.glob("*.md"))):
            found += [(page, line, code) for line, code in blocks(page) if not is_apple(code)]
    # The target that depends on most knows every library.
    knowing = max(targets(), key=lambda target: len(target.flags))
    flags = [flag for flag in knowing.flags if flag != "-parse-as-library"] + c_modules(knowing)

    def compile(block):
        page, line, code = block
        file = FOLDER / f"{page.stem}-{line}.swift"
        write_if_changed(file, located(page, line, code))
        done = subprocess.run(
            [tool("swiftc"), "-typecheck", *flags, "-warnings-as-errors", "-module-name", "Snippet", "-I", knowing.modules, str(file)],
            cwd=ROOT, capture_output=True, text=True)
        return [done.stderr or done.stdout or f"{file}: the compiler failed"] if done.returncode else []

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return problems + [problem for said in pool.map(compile, found) for problem in said]
