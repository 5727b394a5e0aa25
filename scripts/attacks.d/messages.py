"""Names in messages and completions: none acts on a terminal or a shell, and no secret is among them."""
from bench import arrived, attack, finds, require
from credentials import BASIC, asks
from servers import status

HOSTILE_NAMES = [
    ("an escape", "\x1b[2Jx"), ("C1", "\u009b2J"), ("a command", "$(touch pwned)"), ("a backtick", "`touch pwned`"),
    ("a quote", "';touch pwned;'"), ("a blank", "a b"), ("a line end", "a\nb"), ("a bidirectional control", "\u202eb"),
    ("an option", "-rf"), ("a hidden one", ".ssh"), ("two dots", ".."), ("long", "n" * 200),
]


def harmless(outcome, name):
    require(name not in outcome.out.decode(errors="replace"), "the name is offered")
    for scalar in (outcome.out + outcome.err).decode(errors="replace"):
        require(scalar == "\n" or not (ord(scalar) < 0x20 or 0x7F <= ord(scalar) < 0xA0 or scalar == "\u202e"),
                f"U+{ord(scalar):04X} acts on the terminal")


def completes(scene):
    return scene.httpc("---completion", "--", "--profile", "2", "0", "httpc", "--profile", "").ends(0)


@attack(21, "completions offer no name that is none", HOSTILE_NAMES)
def completed_names(scene, name):
    state = scene.folder / "state" / "httpc"
    state.mkdir(parents=True)
    (state / "honest").mkdir()
    if name != "..":
        (state / name).mkdir()
    outcome = completes(scene)
    harmless(outcome, name)
    require(outcome.out == b"honest\n", f"nothing was tested, or too much is offered: {outcome.out!r}")
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\x1b", "\\u001b").replace("\u009b", "\\u009b")
    (scene.folder / "config" / "httpc").mkdir(parents=True)
    scene.file("config/httpc/config.toml", f'[profiles.work]\n[profiles."{quoted}"]\n')
    harmless(completes(scene), name)
    harmless(scene.httpc("--profile", "nope", "http://127.0.0.1:1/").ends(2), "\x00")
    require(not (scene.folder / "pwned").exists(), "it ran")
    scene.file("config/httpc/config.toml", "[profiles.work]\n")
    require(completes(scene).out == b"honest\nwork\n", "nothing was tested: the configuration is not read")


@attack(19, "a name that is not there is not repeated where it may be a secret", [
    ("a profile", ("--profile", "{pw}", "http://127.0.0.1:1/")), ("a profile's tokens", ("tokens", "--profile", "{pw}")),
    ("a profile's cookies", ("cookies", "list", "{pw}")), ("a profile's lock", ("lock", "--profile", "{pw}")),
    ("an option", ("--{pw}", "http://127.0.0.1:1/")), ("an option's value", ("--frobnicate={pw}", "http://127.0.0.1:1/")),
    ("a value behind curl's option", ("--oauth2-bearer", "{pw}", "http://127.0.0.1:1/")),
    ("a cluster", ("-K{pw}", "http://127.0.0.1:1/")), ("a topic", ("help", "{pw}")),
    ("an escape", ("--a\x1b[2J{pw}", "http://127.0.0.1:1/"))])
def unknown_names(scene, arguments):
    outcome = scene.httpc(*[argument.format(pw=scene.password) for argument in arguments]).ends(2).hides(scene.password)
    harmless(outcome, scene.password)
    control = scene.httpc("--oauth2-bearer", "x", "http://127.0.0.1:1/").ends(2)
    require(b"--oauth2-bearer" in control.err, "nothing was tested: no option is named at all")


CLIENT = """[profiles.p]
match = ["{api}/"]
[profiles.p.oauth2]
token-endpoint = "{api}/token"
grant = "client-credentials"
client-id = "robot"
client-secret-env = "CLIENT_SECRET"
"""


@attack(19, "a client that is refused is told the setting, not the secret", [
    ("plainly", "invalid_client", "no"), ("with an escape", "invalid_client", "\\u001b[2J\\u202e"),
    ("with the secret", "invalid_client", "{pw} is wrong"), ("as another error", "unauthorized_client", "no"),
    ("as UAA's", "unauthorized", "Bad credentials"), ("as GitHub's", "incorrect_client_credentials", "no")])
def refused_client(scene, code, words):
    answer = f'{{"error": "{code}", "error_description": "{words.replace("{pw}", "it")}"}}'.encode()
    server = scene.server({"/token": status(401, answer, "Content-Type: application/json"), "*": asks("WWW-Authenticate: Bearer")})
    profile = scene.profile(CLIENT.format(api=server.origin))
    outcome = scene.httpc(*profile, server.origin + "/", environment={"CLIENT_SECRET": scene.password}).ends(67)
    require(finds(server.raw, scene.password), "nothing was tested: the secret was never sent")
    outcome.hides(scene.password)
    harmless(outcome, scene.password)
    require(b"client-secret-env in [profiles.p.oauth2], the variable CLIENT_SECRET" in outcome.err, f"it names no source: {outcome.says()}")


@attack(19, "the password of a refused login is not in what names its source")
def refused_password(scene):
    server = scene.server({"*": asks(BASIC.format("r"))})
    outcome = scene.httpc("-u", "alice:" + scene.password, server.origin + "/").hides(scene.password)
    arrived(server)
    require(b"of -u" in outcome.err, f"it names no source: {outcome.says()}")
