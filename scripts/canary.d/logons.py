"""Passwords and passcodes of a logon."""
import base64
import pathlib
import re
import secrets

from search import check, execute, problems, Search

LOGON_PROFILE = """
[profiles.field]
match = ["{main}/mobile/basic"]
[profiles.field.basic]
username = "canary"
password-env = "CANARY_PASSWORD"
[profiles.field.logon]
application = "com.example.app"
"""


def logons(httpc, landscape, folder, environment):
    """A device is registered and unregistered, as verbosely as possible, with right and wrong passcodes."""
    planted = {kind: f"canary-{kind}-{secrets.token_hex(6)}-7" for kind in ("logon-password", "passcode", "new-passcode", "wrong-code")}
    landscape.admin("users", {"name": "canary", "password": planted["logon-password"]})
    landscape.admin("recording?on=true")
    config = folder / "field.toml"
    config.write_text(LOGON_PROFILE.format(main=landscape.origins["main"]))
    environment = environment | {"CANARY_PASSWORD": planted["logon-password"], "CODE": planted["passcode"],
                                 "NEW": planted["new-passcode"], "WRONG": planted["wrong-code"]}
    outputs, state = [], folder / "state" / "httpc" / "field"
    files = b""

    def run(*arguments, expect=(0,)):
        nonlocal files
        outcome = execute(
            httpc, *arguments, environment=environment, expect=expect, cwd=folder, start_new_session=True)
        outputs.append(outcome.stderr + outcome.stdout)
        files += b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
        return outcome

    named = ("--config", str(config), "--profile", "field", "-vv")
    url = landscape.url("/mobile/basic/com.example.app/x")
    run("logon", *named, "--passcode-env", "CODE")
    # Where the kernel keeps no keys, the vault is locked.
    run(*named, "-o", "/dev/null", url, expect=(0, 67))
    run("settings", *named, "--passcode-env", "CODE")
    run("lock", "--profile", "field")
    run("unlock", *named, "--passcode-env", "WRONG", expect=(67,))
    run("passcode", *named, "--passcode-env", "CODE", "--new-passcode-env", "NEW")
    run("unlock", *named, "--passcode-env", "NEW")
    recorded = landscape.admin("requests", post=False)
    finder = Search()
    for name, secret in planted.items():
        finder.add(name, secret)
    ids = set(re.findall(r"X-SMP-APPCID[^0-9a-f]{1,20}([0-9a-f]{8}-[0-9a-f-]{27})", recorded, flags=re.I))
    sessions = set(re.findall(r"X-SMP-SESSID=([\w.~-]{8,})", recorded))
    check(ids, "no connection's id was recorded: nothing was tested")
    for number, value in enumerate(sorted(sessions)):
        finder.add(f"session {number}", value)
    basic = base64.b64encode(("canary:" + planted["logon-password"]).encode()).decode()
    check(basic in recorded, "the password never reached the server: nothing was tested")
    check(files, "there is no vault")
    # The kernel's list of keys must not show the secrets of unlocked vaults.
    keys = pathlib.Path("/proc/keys")
    outputs.append(keys.read_text(errors="replace") if keys.exists() else "")
    finder.report(outputs, "printed by a logon")
    for number, value in enumerate(sorted(ids)):
        finder.add(f"connection id {number}", value)
    for name in finder.found(files.decode("latin-1")):
        problems.append(f"in the files of a logon: {name}")
    run("unregister", *named, "--passcode-env", "NEW")
    finder.check_sight()
    print(f"canary: logons, {len(outputs)} runs, {len(finder.needles)} forms of secrets")
