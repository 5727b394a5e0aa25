"""The order of the folders of some targets: a folder uses the folders below it, and none above it. The index of a build says
which declarations a file uses."""
import pathlib
import subprocess
import tempfile

from index_store import KINDS_OF_TYPES, ROLE_DEFINITION, ROLE_REFERENCE, IndexStore
from swift_build import DEBUG, ROOT, tool

DOCUMENT = "docs/architecture.md"
# From the top down. "" is a target's own folder; a folder's folders belong to it.
ORDER = {
    "HttpConversation": {
        "": "the manager with its verbs, and the handle of a running conversation",
        "Streams": "lines and server-sent events of a response",
        "Loop": "the engine: the state machine decides, the loop performs",
        "Conversation": "all that takes part in a conversation; its parts know each other, because a filter gets the"
        " context, which has the configuration, which has the filters",
        "Observing": "events and transcripts",
        "Redirects": "the rules for redirects",
        "Transport": "the contract of transports",
        "Certificates": "certificates of clients and servers",
        "Cookies": "cookies and their store",
        "Redaction": "what may be shown of fields and URLs",
        "Challenges": "challenges as servers send them",
        "Proxies": "proxies, and which requests use them",
        "Bodies": "bodies of requests and responses",
        "Transfers": "progress and rate",
        "URLs": "URLs, origins and checked fields",
        "Errors": "the error of all folders; peers' text and secrets, as they may be printed",
    },
    "HttpConvAuthFlows": {
        "": "the configurator of all flows",
        "Recognition": "logins that nothing is configured for, by what servers answer",
        "OtherWebLogins": "the filter for logins on pages of no known protocol",
        "LoginPages": "what pages and URLs tell about logins",
        "ECP": "SAML2 logins without a page",
        "SAML2": "logins with SAML2",
        "OTP": "one-time codes",
        "OAuth2Flow": "filter, logins and renewals of OAuth2",
        "WebLogins": "how a person logs in: strategies, and the logins that they get",
        "OAuth2": "the protocol: configuration, requests, discovery, storage of tokens",
        "ClientCertificate": "the filter for client certificates",
        "CSRF": "tokens against cross-site request forgery",
        "UsernamePassword": "Basic and Digest",
        "Negotiate": "Kerberos tickets, and the system's library for them",
        "Shared": "the identity of a flow; what tells pages from other responses",
    },
    "HttpConversationNIO": {
        "": "the transport",
        "Connecting": "makes connections: addresses, proxies, TLS and its questions",
        "HTTP2": "many exchanges on a connection",
        "HTTP1": "one exchange at a time on a connection",
        "Pool": "connections, the exchanges on them, and what finds one for the other; each knows the others",
        "Proxies": "negotiations with proxies",
        "TLS": "the settings of TLS, and the checks of servers",
        "Failures": "errors and their words",
        "Decompression": "content codings",
        "Request": "a request as it is written, its progress, and the key of the connections for it",
        "Response": "heads of responses",
        "Configuration": "the settings of the transport",
    },
    "ODataOnline": {
        "Store": "the store with its verbs",
        "Batch": "several requests in one",
        "Paging": "pages of rows, one after the other",
        "Writing": "requests that change entities, and what they are answered",
        "Rows": "rows of answers, and values of the application's types",
        "Client": "requests to a service within its limits, and errors of bad answers",
        "Atom": "entities as XML",
        "Metadata": "the model of a service",
        "Queries": "the options of a query",
        "Expressions": "filters",
        "Values": "values, rows, keys and paths, and how they are written",
        "Errors": "the error of all folders",
    },
    "HttpCClient": {
        "Init": "`httpc init`: finds the login of a URL, and writes a profile",
        "Helpers": "credentials for git, docker and kubectl",
        "Setup": "what a request is sent with: cookies, session, passwords; what a profile has",
        "Login": "tokens, and the login of `httpc login`",
        "Logon": "logons with a vault that a passcode locks",
        "Passwords": "where passwords come from, in turn",
        "Run": "the run of a command: time, interruption, failure, transcripts",
        "Web": "how a profile's logins are shown",
        "Failures": "messages of errors, with advice",
        "Connection": "how servers are reached and judged, and certificates that they get",
        "Plans": "what a command wants, as plain values",
        "Netrc": "passwords of .netrc",
        "Profiles": "the configuration, its tables and its secrets",
        "State": "what is kept between runs",
        "Arguments": "users and URLs as they are typed",
    },
    "HttpCRelay": {
        "": "the command's run, and the program that a relay runs for",
        "Background": "relays in the background: their processes, and the records of these",
        "Server": "sockets, connections and the users of clients",
        "Conversations": "requests to the target, and which redirects they follow",
        "Admission": "the decisions about requests",
        "Messages": "header fields and framing",
        "Configuration": "the target, the secrets and the limits",
    },
    "TestLandscape": {
        "Landscape": "the landscape, its list of services, and its controls and counters",
        "Services": "the servers, a folder for each kind of login or answer",
        "Server": "connections, requests, answers and pages, for all services",
        "Helpers": "texts, codes and faults that need no server",
    },
}


class Target:
    def __init__(self, name, root, order):
        self.name, self.root, self.order = name, root, order
        self.sources = sorted(root.rglob("*.swift"))
        self.ranks = {folder: rank for rank, folder in enumerate(order)}

    def folder(self, file):
        parts = pathlib.Path(file).relative_to(self.root).parts
        return parts[0] if len(parts) > 1 else ""

    def unlisted(self):
        """Folders that are missing in the order, and the other way round."""
        present = {self.folder(source) for source in self.sources}
        for folder in sorted(present - self.ranks.keys()):
            yield f"{self.name}: {folder or 'the folder of the target'} has no place in the order of folders: say in scripts/support/folders.py what is below it"
        for folder in sorted(self.ranks.keys() - present):
            yield f"{self.name}: scripts/support/folders.py names {folder or 'files beside the folders'}, which the target does not have"

    def problems(self, store):
        if unlisted := list(self.unlisted()):
            return unlisted
        indexed = {}
        for file, time, occurrences in store.files(self.sources):
            if file not in indexed or indexed[file][0] < time:
                indexed[file] = time, occurrences
        for source in self.sources:
            if str(source) not in indexed or indexed[str(source)][0] < source.stat().st_mtime:
                raise SystemExit(f"the build is older than {source.name}: build first (swift build)")
        return self.arrows({file: occurrences for file, (_, occurrences) in indexed.items()})

    def arrows(self, files):
        """The references of each file to a folder above its own."""
        homes = {}
        for file, occurrences in files.items():
            for found in occurrences:
                # An extension has a USR of its own.
                if found.roles & ROLE_DEFINITION and not found.usr.startswith("s:e:"):
                    homes.setdefault(found.usr, file)
        problems = []
        for file, occurrences in files.items():
            here = self.folder(file)
            for found in occurrences:
                home = homes.get(found.usr)
                if home is None or not found.roles & ROLE_REFERENCE or found.name.startswith(("getter:", "setter:")):
                    continue
                above = self.folder(home)
                if self.ranks[above] < self.ranks[here] and not is_name_only(found, occurrences):
                    problems.append((file, found.line, here, found.name, above, home))
        base = self.root.parent.parent
        return [
            f"{pathlib.Path(file).relative_to(base)}:{line}: {here} is below {above or 'the files beside the folders'} and must not use {name}"
            f" ({pathlib.Path(home).relative_to(base)}): move one of the two, or the part that both need, to the lower folder"
            for file, line, here, name, above, home in sorted(set(problems))
        ]


def is_name_only(found, occurrences):
    """Whether a type is mentioned as the first part of another type's name only: in `Manager.Settings`, or to declare it, as in
    `extension Manager { struct Settings {} }`, if the file adds nothing else to the type."""
    if found.kind not in KINDS_OF_TYPES:
        return False
    nested = [other for other in occurrences if other.usr.startswith(found.usr) and other.usr != found.usr]
    after = found.column + len(found.name) + 1
    if any((other.line, other.column) == (found.line, after) and other.kind in KINDS_OF_TYPES for other in nested):
        return True
    if not any(other.usr.startswith("s:e:") and (other.line, other.column) == (found.line, found.column) for other in occurrences):
        return False
    members = [other for other in nested if other.roles & ROLE_DEFINITION]
    types = tuple(member.usr for member in members if member.kind in KINDS_OF_TYPES)
    return bool(types) and all(member.usr.startswith(types) for member in members)


def row(name):
    """A target's row in the document."""
    return f"| `{name}` | " + ", ".join(filter(None, ORDER[name])) + " |\n"


def check():
    """The arrows that point up in this package."""
    path = DEBUG / "index" / "store"
    if not path.exists():
        raise SystemExit("scripts/check-imports --folders reads the index of a build: build first (swift build)")
    store = IndexStore(path)
    document = (ROOT / DOCUMENT).read_text()
    problems = [f"{DOCUMENT}: the row of {name} is not {row(name).strip()}" for name in ORDER if row(name) not in document]
    for name, order in ORDER.items():
        problems += Target(name, ROOT / "Sources" / name, order).problems(store)
    return problems


# Each file of a made-up target, with the lines that point up.
PLANTED = {
    "Manager.swift": ("struct Manager {\n    var settings = Settings()\n    func run() {}\n}", []),
    "Top/Verbs.swift": ("extension Manager {\n    func get() { run() }\n}\nfunc free() {}", [1, 2]),
    "Middle/Settings.swift": (
        "extension Manager {\n    struct Settings {\n        var limit = low\n    }\n}\nextension Manager.Settings {\n    func more() {}\n}",
        []),
    "Middle/Names.swift": ("func use(_ settings: Manager.Settings) { settings.more() }\nfunc call() { free() }", [2]),
    "Low/Low.swift": (
        "let low = 1\nfunc wrong(_ manager: Manager) { use(manager.settings) }\nextension Manager.Settings { func less() {} }", [2, 3]),
}


def self_test():
    """The problems of the check itself, which reads a small target with arrows that point up."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve() / "Sources" / "Planted"
        for name, (text, _) in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "\n")
        target = Target("Planted", root, {"": "", "Top": "", "Middle": "", "Low": ""})
        subprocess.run(
            [tool("swiftc"), "-module-name", "Planted", "-parse-as-library", "-c", "-index-ignore-system-modules",
             "-index-store-path", str(root / "index"), *map(str, target.sources)],
            cwd=root, check=True, timeout=120)
        found = target.problems(IndexStore(root / "index"))
        wanted = [f"Sources/Planted/{name}:{line}:" for name, (_, lines) in PLANTED.items() for line in lines]
        places = [problem.split(" ", 1)[0] for problem in found]
        problems = [f"self-test: {place} points up and was not refused" for place in wanted if place not in places]
        problems += [f"self-test: refused without reason: {problem}" for problem in found if problem.split(" ", 1)[0] not in wanted]
        del target.order["Low"]
        if not list(Target("Planted", root, target.order).unlisted()):
            problems.append("self-test: a folder without a place in the order was not refused")
        return problems
