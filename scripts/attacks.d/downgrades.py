"""Login pages at https that lead to http: by SAML messages, refreshes, redirects and forms."""
from bench import arrived, attack, finds, never, require
from pages import FIELDS, TEXTS, Login
from servers import page, redirect

NAMES = {"other.test": "127.0.0.1", "127.0.0.1.test": "127.0.0.1", "localhost.test": "127.0.0.1"}
MESSAGE = "<form method=post action='http://{place}/take'><input type=hidden name=SAMLResponse value=message></form>"
REFRESH = "<meta http-equiv=refresh content='0; url=http://{place}/take'>"
WAYS = [
    ("a SAML message", lambda place: page(MESSAGE.format(place=place))),
    ("a refresh", lambda place: page(REFRESH.format(place=place))),
    ("a redirect", lambda place: redirect(f"http://{place}/take")),
]


@attack(21, "an https page leads to http on this machine only", [
    (f"{title}, {host}", host, answer) for host in NAMES for title, answer in WAYS])
def downgrade(scene, host, answer):
    for place, is_fine in ((host, False), ("127.0.0.1", True), ("localhost", True)):
        login = Login(scene, tls=True)
        where = f"{place}:{login.other.port}"
        login.idp.answers["/login"] = answer(where)
        login.other.answers["/take"] = redirect(login.sp.origin + "/?finished=true")
        outcome = scene.httpc(
            *login.profile, "--web", "terminal", "--cacert", scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + scene.password, login.sp.origin + "/", names=NAMES)
        arrived(login.idp, "/login")
        if is_fine:
            arrived(login.other, "/take", "what may go to this machine")
        else:
            outcome.ends(67)
            require(not login.other.requests, f"it went to {where}")


@attack(21, "answers do not go from https to http on another machine, though both are listed", [
    (f"{host}, {method}", host, method) for host in NAMES for method in ("post", "get")])
def answers_downgrade(scene, host, method):
    login = Login(scene, tls=True)
    place = f"http://{host}:{login.other.port}"
    login.profile = scene.profile(
        f'[profiles.p]\nmatch = ["{login.sp.origin}/"]\nanswer-origins = ["{login.idp.origin}", "{place}"]\n[profiles.p.otp]\n')
    login.idp.answers["/login"] = page(f"<form method={method} action='{place}/take'>" + (FIELDS if method == "post" else TEXTS) + "</form>")

    def run():
        return scene.httpc(
            *login.profile, "--web", "terminal", "--cacert", scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + scene.password, "--answer", "word=" + scene.password, login.sp.origin + "/", names=NAMES)
    run().ends(67)
    arrived(login.idp, "/login")
    never(login.other, scene.password)
    login.idp.answers |= {"/login": page("<form method=post action='/take'>" + FIELDS + "</form>"), "/take": page("")}
    run()
    require(finds(login.idp.raw, scene.password), "nothing was tested: the answers go nowhere")
