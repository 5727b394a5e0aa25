"""Compiles the code of the README and of the products' articles: each block with imports as a program, and the other ones of
the articles together."""
import concurrent.futures
import re
import subprocess

from swift_build import ROOT, c_modules, products, targets, tool, write_if_changed

FOLDER = ROOT / ".build" / "snippets"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)


def landing_page(target):
    return ROOT / "Sources" / target / f"{target}.docc" / f"{target}.md"


# Declarations that the pieces of programs use without declaring them.
STUBS = """
import Foundation
import HttpC
import HttpConvVault
import HttpConvVaultStorage
import HttpConversationTesting

struct Order: Codable, Sendable {}
struct Receipt: Codable, Sendable {}
struct WindowID: Sendable {}

func askForNameAndPassword() async throws -> (name: String, password: String) { ("", "") }
func askPerson(_ question: String) async -> String? { nil }
func fail() {}
func signature(of request: ConversationRequest) -> String { "" }

extension HttpConversationManager.Configuration {
    mutating func logInToPortal(
        at page: TargetURL, ask: @escaping @Sendable () async throws -> (name: String, password: String)
    ) {}
}

func pieces(
    _ login: inout CommonAuthenticationConfigurator, _ manager: HttpConversationManager, _ alice: ClientIdentity,
    authority: String, directory: URL, identityProvider: Origin, key: String, name: HTTPField.Name, origin: Origin,
    page: TargetURL, password: String, portal: Origin, request: HTTPRequest, secret: String, window: WindowID
) async throws {
"""


def blocks(page):
    """The code of an article: each block, whether it is a program, and the line before it. A block without
    imports is a piece of a program, except on landing pages, which have no pieces."""
    text = page.read_text()
    for block in BLOCK.finditer(text):
        is_program = block[1].startswith("import ") or page.stem == page.parent.stem
        yield is_program, text.count("\n", 0, block.start(1)), block[1]


def pieces(pages):
    """One program of all pieces. Each is in the scope of those before it in its article."""
    lines = [STUBS]
    for page in pages:
        found = [(line, code) for is_program, line, code in blocks(page) if not is_program]
        for line, code in found:
            lines.append(f"do {{\n{located(page, line, code)}#sourceLocation()\n")
        lines.append("}\n" * len(found))
    return "".join(lines) + "}\n"


def is_apple(code):
    """Whether a program is for Apple's systems, where scripts/check-apple compiles it."""
    return "import SwiftUI\n" in code


def located(page, line, code):
    """So that messages name the article and its line."""
    return f'#sourceLocation(file: "{page.relative_to(ROOT)}", line: {line + 1})\n{code}'


def check():
    """The compiler's messages about the code, and the products without a landing page."""
    found, problems, articles = [], [], []
    for product, names in products().items():
        pages = [page for page in map(landing_page, names) if page.exists()]
        if not pages:
            problems.append(f"{landing_page(names[0]).relative_to(ROOT)}: the product {product} has no landing page")
        articles += [article for page in pages for article in sorted(page.parent.glob("*.md"))]
    for page in [ROOT / "README.md", *articles]:
        for is_program, line, code in blocks(page):
            if is_program and not is_apple(code):
                found.append((f"{page.stem}-{line}.swift", located(page, line, code), "-warnings-as-errors"))
    # Unused declarations are not a mistake in pieces.
    found.append(("Pieces.swift", pieces(articles), "-suppress-warnings"))
    # The target that depends on most knows every library.
    knowing = max(targets(), key=lambda target: len(target.flags))
    flags = [flag for flag in knowing.flags if flag != "-parse-as-library"] + c_modules(knowing)

    def compile(program):
        name, code, warnings = program
        file = FOLDER / name
        write_if_changed(file, code)
        done = subprocess.run(
            [tool("swiftc"), "-typecheck", *flags, warnings, "-module-name", "Snippet", "-I", knowing.modules, str(file)],
            cwd=ROOT, capture_output=True, text=True)
        return [done.stderr or done.stdout or f"{file}: the compiler failed"] if done.returncode else []

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return problems + [problem for said in pool.map(compile, found) for problem in said]
