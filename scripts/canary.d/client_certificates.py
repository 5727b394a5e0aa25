"""Keys and passphrases of client certificates."""
import secrets
import subprocess

from keys import add_key
from search import check, execute, problems, Search

CERTIFICATE_PROFILES = """
[profiles.card]
match = ["{mutual}/certificate"]
cacert = "ca.pem"
[profiles.card.cert]
file = "canary.p12"
passphrase-env = "CANARY_PASSPHRASE"
[profiles.kept]
match = ["{mutual}/certificate"]
cacert = "ca.pem"
[profiles.kept.cert]
vault = "canary"
[profiles.robot]
match = ["{mutual}/api/"]
cacert = "ca.pem"
[profiles.robot.cert]
file = "certificates/robot.pem"
[profiles.robot.oauth2]
grant = "client-credentials"
issuer = "{secure}/oauth2"
client-id = "robot"
client-auth = "tls_client_auth"
[profiles.signer]
match = ["{secure}/api/"]
cacert = "ca.pem"
[profiles.signer.oauth2]
grant = "client-credentials"
issuer = "{secure}/oauth2"
client-id = "signer"
client-auth = "private_key_jwt"
client-key = "signer.key"
client-key-passphrase-env = "CANARY_PASSPHRASE"
"""


def certificates(httpc, landscape, folder, environment):
    """Client certificates and keys in files with passphrases, in a vault, and for OAuth2, right ones and wrong ones."""
    planted = f"canary-passphrase-{secrets.token_hex(8)}"
    alice = str(landscape.certificates / "alice.pem")
    sealed = ("-passout", "pass:" + planted)
    for arguments in (("pkcs12", "-export", "-in", alice, "-out", "canary.p12"),
                      ("pkcs8", "-topk8", "-in", str(landscape.certificates / "signer.key"), "-out", "signer.key")):
        subprocess.run(["openssl", *arguments, *sealed], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                       check=True)
    config = folder / "certificates.toml"
    config.write_text(CERTIFICATE_PROFILES.format(**landscape.origins))
    environment = environment | {"CANARY_PASSPHRASE": planted}
    outputs = []

    def run(*arguments, expect=0, environment=environment):
        outcome = execute(httpc, *arguments, environment=environment, expect=(expect,), cwd=folder)
        outputs.append(outcome.stderr + outcome.stdout)
        return outcome.stdout

    trust = ("--cacert", landscape.authority)
    page, wrong = landscape.url("/certificate", "mutual"), environment | {"CANARY_PASSPHRASE": planted + "-wrong"}
    seen = [run("-vv", *trust, "--cert", f"canary.p12:{planted}", page)]
    run("-vv", *trust, "--cert", "canary.p12", "--pass", planted + "-wrong", page, expect=58)
    run("-vv", *trust, "--cert", alice, "--key", alice, page)
    run("-vv", *trust, "--cert", str(landscape.certificates / "alice-revoked.pem"), page, expect=58)
    run("certificates", "import", "canary", "canary.p12", "--pass", planted)
    run("certificates", "import", "canary", "canary.p12", "--pass", planted + "-wrong", expect=58)
    run("certificates", "list")
    profile = ("-vv", "--config", str(config), "--profile")
    seen += [run(*profile, "card", page), run(*profile, "kept", page)]
    run(*profile, "card", page, expect=58, environment=wrong)
    for name, origin in (("robot", "mutual"), ("signer", "secure")):
        seen.append(run(*profile, name, landscape.url(f"/api/{name}", origin)))
        run("login", *profile, name)
        run("tokens", *profile[1:], name)
    run("login", *profile, "signer", expect=58, environment=wrong)
    finder = Search()
    finder.add("the passphrase", planted)
    for file in ("alice.pem", "robot.pem", "signer.key"):
        add_key(finder, f"the key in {file}", landscape.certificates / file)
    # They were used.
    check(seen[0] == "CN=alice\n" and seen[1:3] == seen[:1] * 2, f"the certificate was not shown: {seen}")
    check(all(name in text for name, text in zip(("robot", "signer"), seen[3:])), f"no token was got: {seen}")
    finder.report(outputs)
    for path in (folder / "state").rglob("*"):
        for name in finder.found(path.read_bytes().decode("latin-1")) if path.is_file() else ():
            problems.append(f"in {path.name}: {name}")
    finder.check_sight()
    print(f"canary: certificates, {len(outputs)} runs, {len(finder.needles)} forms")
