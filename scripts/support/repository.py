"""The files, types, members and security rules of the repository, for the check of documents."""
import pathlib
import re
import subprocess

from swift_build import ROOT

ARCHITECTURE = "docs/architecture.md"
THREATS = "docs/threat-model.md"
# Names of others that documents use.
ELSEWHERE = set("""
    Sendable Hashable Equatable Codable Decodable Encodable CustomStringConvertible CancellationError MainActor TaskLocal
    AsyncSequence AsyncStream CheckedContinuation ExistentialAny InternalImportsByDefault MemberImportVisibility
    URLSession URLSessionConfiguration URLRequest HTTPURLResponse FoundationNetworking HTTPCookie FileHandle ProcessInfo
    HTTPTypes HTTPRequest HTTPResponse HTTPFields HTTPField
    NIOCore NIOPosix NIOSSL JWTKit CryptoKit WebKit WKWebView AuthenticationServices ASWebAuthenticationSession
    MellonEndpointPath SAMLRequest RelayState ReturnTo OAuth2 PostgreSQL
    """.split())
DECLARATION = re.compile(r"\b(?:class|struct|enum|protocol|actor|typealias|associatedtype)\s+`?([A-Za-z_]\w*)")
MEMBER = re.compile(r"\b(?:func|var|let)\s+`?([A-Za-z_]\w*)|^\s*(?:indirect\s+)?case\s+(.+)")
# An identifier with an inner capital can only be the name of a type.
TYPE = re.compile(r"^(?=\w*[a-z])[A-Z]\w*[A-Z]\w*$")
NAME = re.compile(r"^[A-Za-z_]\w*(?:[./][a-z_]\w*|[./][A-Z]\w*)*(?:\([\w:]*\))?$")
EXTENSIONS = ("md", "swift", "docc", "yml", "toml.example", "names", "swiftinterface")


def tracked():
    """The files of the repository. In a copy without git, all files except hidden ones."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    files = (file.relative_to(ROOT) for file in ROOT.rglob("*") if file.is_file())
    return [str(file) for file in files if not any(part.startswith(".") for part in file.parts)]


def section(heading, name):
    """The text under a heading of the second level."""
    return (ROOT / name).read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


class Repository:
    def __init__(self):
        self.files = tracked()
        self.paths = set(self.files)
        for name in self.files:
            self.paths |= {str(parent) for parent in pathlib.PurePath(name).parents}
        self.types, self.members = set(ELSEWHERE), {"init", "self", "shared"}
        for name in self.files:
            if name.endswith((".swift", ".swiftinterface")):
                self.read_declarations((ROOT / name).read_text())
        for name in self.files:
            parts = pathlib.PurePath(name).parts
            if parts[0] in ("Sources", "Tests") and len(parts) > 2:
                self.types.add(parts[1])
        self.loop_rules = set(re.findall(r"^(\d+)\. ", section("The rules of the loop", ARCHITECTURE), re.M))
        self.rules = {rule for row in re.findall(r"^\| (S\d+(?:, S\d+)*) \|", (ROOT / THREATS).read_text(), re.M) for rule in row.split(", ")}

    def read_declarations(self, text):
        self.types |= set(DECLARATION.findall(text))
        for line in text.splitlines():
            for name, cases in MEMBER.findall(line):
                self.members |= {name} if name else set(re.findall(r"`?([A-Za-z_]\w*)", cases))

    def has(self, path, beside):
        """Whether a path exists: from the root, beside a document, or as the end of one."""
        path = path.strip("/")
        near = pathlib.PurePath(beside).parent / path
        return path in self.paths or str(near) in self.paths or any(name.endswith("/" + path) for name in self.paths)

    def has_tests(self, name):
        """Whether a module of tests has this file, without its extension, or this folder."""
        return f"Tests/{name}" in self.paths or f"Tests/{name}.swift" in self.paths

    def is_path(self, code):
        return bool(re.match(r"^[\w.+/-]+$", code)) and (
            code.split("/")[0] in self.paths and "/" in code
            or code.rpartition(".")[1] and code.rsplit(".", 1)[-1] in EXTENSIONS and not code.startswith((".", "/")))

    def wrong_name(self, code, is_link):
        """The part of a name that is declared nowhere."""
        # A link to another module begins with a slash.
        code = code.removeprefix("/") if is_link else code
        if not NAME.match(code):
            return None
        parts = re.split(r"[./]", code.split("(")[0])
        if not is_link and not TYPE.match(parts[0]):
            return None
        if is_link and len(parts) == 1 and (code.endswith(")") or code[0].islower()):
            return None if parts[0] in self.members else parts[0]
        if parts[0] not in self.types:
            return parts[0]
        if parts[0] in ELSEWHERE:
            return None
        return next((part for part in parts[1:] if part not in self.types | self.members), None)
