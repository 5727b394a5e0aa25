"""Compiles the code of the landing pages, each block as a program of its own."""
import concurrent.futures
import re
import subprocess

from swift_build import ROOT, targets, tool, write_if_changed

FOLDER = ROOT / ".build" / "snippets"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)


def check():
    """What the compiler says against the code; also names products without a landing page."""
    found = targets()
    # The command's flags know every library.
    command = next(target for target in found if not target.is_library)
    flags = [flag for flag in command.flags if flag != "-parse-as-library"]
    blocks, problems = [], []
    for target in found:
        page = ROOT / "Sources" / target.name / f"{target.name}.docc" / f"{target.name}.md"
        if target.is_library and not page.exists():
            problems.append(f"{page.relative_to(ROOT)}: there is no landing page")
        elif target.is_library:
            text = page.read_text()
            blocks += [(page, text.count("\n", 0, block.start(1)), block[1]) for block in BLOCK.finditer(text)]

    def compile(block):
        page, line, code = block
        file = FOLDER / f"{page.stem}-{line}.swift"
        # So that messages name the page and its line.
        write_if_changed(file, f'#sourceLocation(file: "{page.relative_to(ROOT)}", line: {line + 1})\n{code}')
        done = subprocess.run(
            [tool("swiftc"), "-typecheck", *flags, "-warnings-as-errors", "-module-name", "Snippet", "-I", command.modules, str(file)],
            cwd=ROOT, capture_output=True, text=True)
        return [done.stderr or done.stdout or f"{file}: the compiler failed"] if done.returncode else []

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return problems + [problem for said in pool.map(compile, blocks) for problem in said]
