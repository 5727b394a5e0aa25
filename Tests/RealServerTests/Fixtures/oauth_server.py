"""An OAuth2 and OpenID server: django-oauth-toolkit with a login page and resources, configured by code.

oauth_server.py DIRECTORY PORT RELYING runs it in the foreground for a relying party at the other port of this machine, oauth_server.py --version names its versions. Each request is
written to logs/received.log before it is answered.
"""
import hashlib
import json
import os
import sys
import threading
from importlib.metadata import version

if sys.argv[1:] == ["--version"]:
    print("django-oauth-toolkit " + version("django-oauth-toolkit") + ", Django " + version("Django"))
    sys.exit()

import django
from django.conf import settings
from jwcrypto import jwk

DIRECTORY, PORT, RELYING = sys.argv[1:]
ORIGIN = "http://127.0.0.1:" + PORT
ISSUER = ORIGIN + "/o"

LOGIN_PAGE = """<!DOCTYPE html><title>Log in</title>
<form method="post" action="?next={{ next|urlencode:"" }}">{% csrf_token %}{{ form.as_p }}<button>Log in</button></form>
"""

settings.configure(
    DEBUG=False,
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.staticfiles",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        __name__ + ".recorded",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DIRECTORY + "/run/oauth.db",
            # Writers wait for each other instead of failing.
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA synchronous=OFF"},
        }
    },
    # Slow hashes would only slow the tests.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    LOGIN_URL="/login/",
    STATIC_URL="/static/",
    LOGGING={
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"file": {"class": "logging.FileHandler", "filename": DIRECTORY + "/logs/error.log"}},
        "root": {"handlers": ["file"], "level": "WARNING"},
    },
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": ISSUER,
        "OIDC_RSA_PRIVATE_KEY": jwk.JWK.generate(kty="RSA", size=2048).export_to_pem(True, None).decode(),
        "SCOPES": {"openid": "who you are", "read": "reading", "write": "writing"},
        "DEFAULT_SCOPES": ["read"],
        "PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", "com.example.app"],
        "OAUTH_DEVICE_VERIFICATION_URI": ISSUER + "/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: ISSUER + "/device/?user_code=" + code,
        "DEVICE_FLOW_INTERVAL": 1,
    },
)
# The settings name this module.
sys.modules["oauth_server"] = sys.modules[__name__]
django.setup()

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.decorators import protected_resource_metadata
from oauth2_provider.models import AccessToken, Application, RefreshToken
from oauth2_provider.urls import metadata_urlpatterns

writing = threading.Lock()


def recorded(get_response):
    def answer(request):
        # Read first: afterwards a view may have closed it.
        grant = request.POST.get("grant_type", "")
        response = get_response(request)
        entry = {"method": request.method, "path": request.get_full_path(), "status": str(response.status_code)}
        for name in ["Authorization", "Cookie"]:
            entry[name] = request.headers.get(name, "")
        entry["Grant-Type"] = grant
        with writing, open(DIRECTORY + "/logs/received.log", "a") as log:
            log.write(json.dumps(entry) + "\n")
        return response

    return answer


def resource(*scopes):
    @csrf_exempt
    @protected_resource_metadata(scopes=list(scopes))
    def answer(request):
        user = request.resource_owner
        return JsonResponse({"user": user.username if user else "", "length": str(len(request.body))})

    return answer


@csrf_exempt
def form(request):
    """What the framework's own parser finds in a form."""
    fields = [{"name": name, "text": text} for name, texts in request.POST.lists() for text in texts]
    files = [
        {"name": name, "filename": file.name, "type": file.content_type, "length": file.size,
         "sha256": hashlib.sha256(file.read()).hexdigest()}
        for name, files in request.FILES.lists() for file in files
    ]
    return JsonResponse(fields + files, safe=False)


@login_required
def private_page(request):
    return HttpResponse("hello\n", "text/plain")


@csrf_exempt
@login_required
def private_sink(request):
    """What arrived, in the form of sink.py."""
    return JsonResponse({
        "method": request.method, "user": request.user.username, "length": len(request.body),
        "sha256": hashlib.sha256(request.body).hexdigest(), "announced": request.headers.get("Content-Length"),
        "type": request.headers.get("Content-Type"), "fields": {}})


def end_sessions(request):
    """Ends the sessions of all users at this server, as after an expiry."""
    return HttpResponse(str(Session.objects.all().delete()[0]))


def expire_access_tokens(request):
    """The clock cannot be turned; what it would bring about can."""
    return HttpResponse(str(AccessToken.objects.update(expires=timezone.now())))


def state_of_token(request):
    """Whether the server would still take a token, by its own tables."""
    token = request.GET["token"]
    access = AccessToken.objects.filter(token=token, expires__gt=timezone.now()).exists()
    refresh = RefreshToken.objects.filter(token=token, revoked=None).exists()
    return HttpResponse("valid" if access or refresh else "invalid")


urlpatterns = [
    path("login/", LoginView.as_view()),
    path("open/hello.txt", lambda request: HttpResponse("hello\n", "text/plain")),
    path("api/read/<int:number>", lambda request, number: resource("read")(request)),
    path("api/write", resource("write")),
    path("form", form),
    path("private/page", private_page),
    path("private/sink", private_sink),
    path("control/end-sessions", end_sessions),
    path("control/expire", expire_access_tokens),
    path("control/token", state_of_token),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("", include((metadata_urlpatterns, "metadata"))),
]

CLIENTS = [
    # client id, type, grant, secret
    ("native", "public", "authorization-code", ""),
    ("web", "confidential", "authorization-code", "web secret: 100%"),
    ("machine", "confidential", "client-credentials", "machine secret: 100%"),
    ("legacy", "public", "password", ""),
    ("relying", "confidential", "authorization-code", "relying-secret"),
    ("tv", "public", "urn:ietf:params:oauth:grant-type:device_code", ""),
]


def fill():
    call_command("migrate", verbosity=0)
    for name, password in [("alice", "secret"), ("żółw", "pässwörd€")]:
        User.objects.create_user(name, password=password)
    for client_id, client_type, grant, secret in CLIENTS:
        Application.objects.create(
            name=client_id,
            client_id=client_id,
            client_type=client_type,
            authorization_grant_type=grant,
            client_secret=secret,
            algorithm="RS256",
            redirect_uris="http://127.0.0.1/callback com.example.app:/callback"
            f" https://127.0.0.1:{RELYING}/private/redirect",
            skip_authorization=client_id == "relying",
        )


fill()
call_command("runserver", "127.0.0.1:" + PORT, use_reloader=False, skip_checks=True)
