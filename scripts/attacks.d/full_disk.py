"""Point 16: disks that fill up while a download or a relay goes on."""
import hashlib
import subprocess

from bench import attack, require
from servers import PATIENCE, status

WHOLE = bytes((n * 31 ^ n >> 8) & 255 for n in range(300_000))
TAG = 'ETag: "v1"'

# In a mount namespace of its own. Each line that counts is one word and its value.
SCRIPT = """
mkdir disk && mount -t tmpfs -o size=128k,mode=700 none disk && cd disk || exit 99
[ -z "$BEFORE" ] || printf before > out
"$@" 2> ../errors; echo "code $?"
echo "names $(ls -A | wc -l)"
[ ! -e out ] || echo "out $(cat out | head -c 20)"
for part in out.*.part; do [ ! -s "$part" ] || { echo "part $(stat -c %s "$part")"; cp "$part" ../part; }; done
mount -o remount,size=4m .
"$@" 2>> ../errors; echo "again $?"
echo "digest $(sha256sum < out | cut -d' ' -f1)"
echo "left $(ls -A | wc -l)"
"""


def answer(request):
    """The whole, or the requested range."""
    wanted = request.field("Range")
    if not wanted:
        return status(200, WHOLE, TAG)
    start = int(wanted.decode().removeprefix("bytes=").rstrip("-"))
    return status(206, WHOLE[start:], TAG, f"Content-Range: bytes {start}-{len(WHOLE) - 1}/{len(WHOLE)}")


@attack(16, "a disk that is full in mid-download", [
    ("-o", [], ""), ("-o, there before", [], "yes"), ("-C -", ["-C", "-"], "")])
def full(scene, options, before):
    namespace = scene.bench.namespace
    require(namespace, "nothing was tested: a small disk needs a mount namespace (unshare), and there is none")
    server = scene.server({"/": answer})
    run = subprocess.run(
        ["unshare", *namespace, "sh", "-c", SCRIPT, "sh", scene.bench.httpc, *options, "-o", "out", server.origin + "/"],
        cwd=scene.folder, env=scene.environment | {"BEFORE": before}, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    said = dict(line.split(" ", 1) for line in run.stdout.decode().splitlines())
    errors = (scene.folder / "errors").read_text() if (scene.folder / "errors").exists() else ""
    require(run.returncode != 99 and "code" in said, f"nothing was tested: no small disk {run.stderr!r}")
    require(said["code"] == "23", f"ended with {said['code']}: {errors}")
    require("No space left" in errors, f"it does not say why: {errors}")
    require(said.get("out") == ("before" if before else None), "half a file is in place of the whole")
    if options:
        count = int(said.get("part", 0))
        require(count, "what has arrived is not kept")
        require((scene.folder / "part").read_bytes() == WHOLE[:count], "what is kept is not what has arrived")
        ranges = [request.field("Range") for request in server.received()]
        require(ranges[-1] == b"bytes=%d-" % count, f"it does not go on from there: {ranges}")
    else:
        require(said["names"] == ("1" if before else "0"), f"something is left beside the file: {run.stdout.decode()}")
    require(said["again"] == "0", f"with room again it ended with {said['again']}: {errors}")
    require(said["digest"] == hashlib.sha256(WHOLE).hexdigest(), "the file is not what was sent")
    require(said["left"] == "1", "something is left beside the file")


STATE = """
mkdir disk && mount -t tmpfs -o size=512k,mode=700 none disk || exit 99
exec "$@"
"""

# Under the relay. Each line is a status.
FULL = """
get() { curl -s --noproxy '*' -o body -w '%{http_code}\n' "$1/x"; }
get "$1"; cat /dev/zero > disk/ballast 2> /dev/null; get "$1"; get "$1"; rm disk/ballast; get "$1"
"""

ROBOT = """[profiles.p]
match = ["{api}/"]
[profiles.p.oauth2]
token-endpoint = "{api}/token"
grant = "client-credentials"
client-id = "robot"
client-secret-env = "CLIENT_SECRET"
"""


@attack(16, "a disk that is full while a relay has the state open")
def relay(scene):
    namespace = scene.bench.namespace
    require(namespace, "nothing was tested: a small disk needs a mount namespace (unshare), and there is none")
    given = []

    def token(_):
        given.append(f"token-{len(given)}")
        return status(200, f'{{"access_token": "{given[-1]}", "token_type": "Bearer"}}'.encode(), "Content-Type: application/json")

    def resource(request):
        """Takes each token once, so that each request needs a new one, and so a lease."""
        if given and request.field("Authorization").decode() == f"Bearer {given[-1]}" and given[-1] not in used:
            used.add(given[-1])
            return status(200, b"the resource")
        return status(401, b"", "WWW-Authenticate: Bearer")

    used = set()
    server = scene.server({"/token": token, "*": resource})
    profile = scene.profile(ROBOT.format(api=server.origin))
    run = subprocess.run(
        ["unshare", *namespace, "sh", "-c", STATE, "sh", scene.bench.httpc, "relay", *profile, server.origin, "--",
         "sh", "-c", FULL, "sh", "{url}"], cwd=scene.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
        env=scene.environment | {"CLIENT_SECRET": scene.password, "XDG_STATE_HOME": str(scene.folder / "disk/state")})
    errors = run.stderr.decode()
    answers = run.stdout.decode().split()
    require(run.returncode != 99 and answers[:1] == ["200"], f"nothing was tested: no small disk, or no login {errors!r}")
    require(answers == ["200"] * 4, f"requests do not go on: {answers} {errors}")
    require(errors.count("Warning: The disk or the quota is full") == 1, f"not one warning: {errors}")
