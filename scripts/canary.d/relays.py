"""The secret of a relay."""
import sys
import urllib.parse

from search import check, execute, Search

# A program behind a relay: keeps its URL, and reads a resource.
RELAYED = """
import pathlib, sys, urllib.request
pathlib.Path("given").write_text(sys.argv[1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.exit(0 if opener.open(sys.argv[1] + sys.argv[2], timeout=20).status == 200 else 1)
"""


def relays(httpc, landscape, folder, environment, planted):
    """A relay lends its login to a program, as verbosely as possible: its secret is in the program's URL, and nowhere else."""
    outputs = []
    finder = Search()
    finder.add("password", planted["password"])
    # The other parts change the password of theirs.
    landscape.admin("users", {"name": "relayed", "password": planted["password"]})
    for level in ((), ("-v",), ("-vv",), ("-s",)):
        outcome = execute(
            httpc, "-u", "relayed:" + planted["password"], *level, "relay", landscape.url(""), "--",
            sys.executable, "-c", RELAYED, "{url}", "/basic/realm1/relayed",
            environment=environment, cwd=folder, start_new_session=True)
        outputs.append(outcome.stderr + outcome.stdout)
        secret = urllib.parse.urlsplit((folder / "given").read_text()).path.strip("/")
        check(len(secret) >= 32, "the relay's URL has no secret: nothing was tested")
        finder.add(f"relay's secret {len(outputs)}", secret)
    finder.report(outputs, "printed by a relay")
    finder.check_sight()
    print(f"canary: relays, {len(outputs)} runs, {len(finder.needles)} forms of secrets")
