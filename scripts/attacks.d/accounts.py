"""Attacks on a device with several accounts: files of one account in the place of another's, and the passcode, the session or
the connection of one account used for another."""
import json
import shutil

from bench import NEXT, attack, finds, require
from registration import CODE, NEW, WRONG, Mobile
from servers import page, status

# The registrations, whose texts have nothing in common.
MARKS = ["firstborn", "youngster"]
ESCAPE = "\x1b[2Jowned\x9b31m\u202e"


class Accounts(Mobile):
    """A mobile server that gives each registration a connection and a cookie of its own, and two accounts with a passcode
    each. The first one is selected."""

    def __init__(self, scene):
        super().__init__(scene, policy={"PasswordPolicyRetryLimit": 3})
        self.connections = 0
        self.ids = {}
        for name, code in [("Work", "CODE"), ("Home", "NEW")]:
            self.command("logon", "--account", name, "--passcode-env", code).ends(0)
            found = [place.name for place in self.group.iterdir()
                     if (place / "account").exists() and place.name not in self.ids.values()]
            require(len(found) == 1, f"nothing was tested: {len(found)} new accounts")
            self.ids[name] = found[0]

    def answer(self, request):
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="mobile"', "X-SMP-SESSID: 1")
        if request.method == "POST" and "Connections" in request.path:
            mark = MARKS[self.connections]
            self.connections += 1
            self.properties["ApplicationConnectionId"] = mark
            return status(201, self.entity(), f"Location: {self.server.origin}/odata/Connections('{mark}')",
                          f"X-SMP-APPCID: {mark}", "Content-Type: application/json",
                          f"Set-Cookie: sid={mark}; Path=/; Max-Age=600")
        if "Connections" in request.path:
            return status(200, self.entity(), "Content-Type: application/json")
        return page("a resource")

    @property
    def group(self):
        return self.vault / "accounts"

    def folder(self, name):
        return self.group / self.ids[name]

    def unlock(self, name, code):
        return self.command("unlock", "--account", name, "--passcode-env", code)

    def resource(self, *words):
        return self.run("--config", self.config, "--profile", "p", *words, self.server.origin + "/com.example.app/x")

    def sent(self):
        return [request for request in self.server.received() if request.path == "/com.example.app/x"]


def write(path, text):
    path.write_text(text)
    path.chmod(0o600)


@attack(NEXT, "a selection that names a place outside of the accounts leads nowhere", [
    ("above", "../../../q/logon"), ("absolute", "/tmp"), ("empty", ""), ("above from within", "a" * 29 + "/..")])
def selection(scene, name):
    mobile = Accounts(scene)
    shutil.copytree(mobile.folder("Home"), scene.folder / "state" / "httpc" / "q" / "logon")
    write(mobile.group / "selected", json.dumps({"version": 1, "id": name, "name": "Work"}))
    outcome = mobile.resource().ends(23).hides(scene.password, CODE)
    require(b"selected" in outcome.err, f"says nothing of the selection: {outcome.says()}")
    require(not mobile.sent(), "something was sent")
    mobile.command("logon", "--switch", "Work").ends(0)


@attack(NEXT, "a link in an account's place is neither used nor followed by a removal", [
    ("to another account", True), ("to a directory elsewhere", False)])
def link(scene, is_account):
    mobile = Accounts(scene)
    target = mobile.folder("Work")
    if not is_account:
        target = scene.folder / "elsewhere"
        shutil.copytree(mobile.folder("Work"), target)
    planted = mobile.group / ("b" * 32)
    planted.symlink_to(target)
    name = "account-bbbbbbbb"
    require(finds(mobile.command("logon", "--list").ends(0).out, name), "nothing was tested: it is not listed")
    mobile.command("unlock", "--account", name, "--passcode-env", "CODE").ends(2)
    mobile.command("unregister", "--account", name, "--local").ends(2)
    mobile.resource("--account", name).ends(2)
    (mobile.group / ("c" * 32 + ".removed")).symlink_to(target)
    mobile.command("logon", "--list").ends(0)
    require((target / "passcode.slot").exists() or list(target.glob("*.sqlite")), "the link's target was wiped")


@attack(NEXT, "a link in the place of all accounts, or of the vault above, is not followed", [
    ("the accounts", True), ("the vault", False)])
def group(scene, is_group):
    mobile = Mobile(scene)
    target = scene.folder / "elsewhere"
    target.mkdir(mode=0o700)
    place = mobile.vault / "accounts" if is_group else mobile.vault
    place.parent.mkdir(parents=True, mode=0o700)
    mobile.vault.parent.chmod(0o700)
    place.symlink_to(target)
    outcome = mobile.command("logon", "--account", "Work", "--passcode-env", "CODE").hides(scene.password, CODE)
    require(outcome.code == 2, f"ended with {outcome.code}: {outcome.says()}")
    require(not list(target.iterdir()), "something was written elsewhere")
    require(not mobile.server.received(), "something was sent")


@attack(NEXT, "an account's file that others can read or write is not used", [("read", 0o644), ("write", 0o622)])
def readable(scene, mode):
    mobile = Accounts(scene)
    (mobile.folder("Work") / "account").chmod(mode)
    outcome = mobile.resource().ends(2)
    require(b"chmod 600" in outcome.err, f"says nothing of the file: {outcome.says()}")
    require(not mobile.sent(), "something was sent")
    mobile.resource("--account", "Home").ends(0, 67)


@attack(NEXT, "an account's name does not act on the terminal", [("in its file", True), ("on the command line", False)])
def name(scene, is_file):
    mobile = Accounts(scene)
    if is_file:
        write(mobile.folder("Work") / "account", json.dumps({"version": 1, "name": ESCAPE, "server": ESCAPE, "user": ESCAPE}))
        outcomes = [mobile.command("logon", "--list").ends(0), mobile.resource().ends(23), mobile.command("status")]
    else:
        outcomes = [mobile.command("logon", "--account", ESCAPE, "--passcode-env", "CODE").ends(2),
                    mobile.command("logon", "--switch", ESCAPE).ends(2), mobile.command("lock", "--account", ESCAPE)]
    for outcome in outcomes:
        said = (outcome.out + outcome.err).decode(errors="replace")
        require(not any(letter in said for letter in "\x1b\x9b\u202e"), f"acts on the terminal: {outcome.says()}")


@attack(NEXT, "a user and a server in an account's file do not act on the terminal")
def texts(scene):
    mobile = Accounts(scene)
    write(mobile.folder("Work") / "account", json.dumps({"version": 1, "name": "Work", "server": ESCAPE, "user": ESCAPE}))
    said = mobile.command("logon", "--list").ends(0).out.decode(errors="replace")
    require("owned" in said, "nothing was tested: it is not shown")
    require(not any(letter in said for letter in "\x1b\x9b\u202e"), "acts on the terminal")


@attack(NEXT, "a passcode of one account opens no other, and counts there alone")
def passcodes(scene):
    mobile = Accounts(scene)
    scene.httpc("lock").ends(0)
    for left in (b"2 tries", b"One try"):
        require(left in mobile.unlock("Work", "NEW").ends(67).err, f"not {left}")
    mobile.unlock("Home", "NEW").ends(0)
    scene.httpc("lock").ends(0)
    mobile.unlock("Work", "NEW").ends(67)
    require(not (mobile.folder("Work") / "passcode.tries").exists(), "the account was not wiped")
    mobile.unlock("Home", "NEW").ends(0)
    mobile.unlock("Work", "CODE").ends(67)


@attack(NEXT, "an account's files in another's place do not open with the other's passcode")
def swapped(scene):
    mobile = Accounts(scene)
    scene.httpc("lock").ends(0)
    name = (mobile.folder("Work") / "account").read_text()
    shutil.rmtree(mobile.folder("Work"))
    shutil.copytree(mobile.folder("Home"), mobile.folder("Work"), copy_function=shutil.copy2)
    write(mobile.folder("Work") / "account", name)
    mobile.unlock("Work", "CODE").ends(67)
    mobile.unlock("Work", "WRONG").ends(67)


@attack(NEXT, "a session and a connection of one account are never sent by another")
def sessions(scene):
    mobile = Accounts(scene)
    for name, code, own, other in [("Work", "CODE", *MARKS), ("Home", "NEW", *reversed(MARKS)), ("Work", "CODE", *MARKS)]:
        config = scene.file("config.toml", mobile.profile("p", f'passcode-env = "{code}"\n'))
        mobile.config = config
        before = len(mobile.sent())
        mobile.resource("--account", name).ends(0)
        requests = mobile.sent()[before:]
        require(requests, "nothing was tested: nothing was sent")
        for request in requests:
            require(not finds(request.raw, other), f"{name} sends the other's session")
        for part in ("sid=", "X-SMP-APPCID: "):
            require(finds(requests[-1].raw, part + own), f"nothing was tested: {name} sends no {part}{own}")


@attack(NEXT, "a removed account is gone: no other one is used in its place")
def removed(scene):
    mobile = Accounts(scene)
    mobile.command("unregister", "--local", "--account", "Work").ends(0)
    require(not mobile.folder("Work").exists(), "its folder is still there")
    outcome = mobile.resource().ends(67)
    require(b'"Work" was removed' in outcome.err, f"does not name it: {outcome.says()}")
    require(not mobile.sent(), "something was sent")
    mobile.folder("Work").mkdir(mode=0o700)
    mobile.resource().ends(23)
    require(not mobile.sent(), "something was sent")
