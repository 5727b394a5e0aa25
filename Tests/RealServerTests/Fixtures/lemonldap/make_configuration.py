"""Writes the configuration of LemonLDAP::NG: make_configuration.py DIRECTORY PORTAL RELYING, each a URL's origin."""
import json
import os
import subprocess
import sys

directory, portal, relying = sys.argv[1:]
place = directory + "/lemonldap/"
subprocess.run(["openssl", "genrsa", "-out", place + "oidc.key", "2048"], check=True, capture_output=True)
public = subprocess.run(["openssl", "rsa", "-in", place + "oidc.key", "-pubout"], check=True, capture_output=True)
sessions = {"Directory": place + "sessions", "LockDirectory": place + "locks",
            "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"}
for name in ["conf", "sessions", "locks"]:
    os.makedirs(place + name, exist_ok=True)
    # The portal may run as another user.
    os.chmod(place + name, 0o777)
client = {
    "ClientID": "posted", "ClientSecret": "relying-secret", "RedirectUris": relying + "/private/redirect",
    "IDTokenSignAlg": "RS256", "BypassConsent": 1, "RequirePKCE": 0, "AccessTokenSignAlg": "RS256",
}
configuration = {
    "cfgNum": 1, "cfgAuthor": "tests", "cfgDate": 1, "cfgVersion": "2.16.1",
    "portal": portal + "/", "domain": "localhost", "cookieName": "lemonldap", "securedCookie": 1, "key": "of the tests",
    "globalStorage": "Apache::Session::File", "globalStorageOptions": sessions,
    "localSessionStorage": "Cache::FileCache",
    "localSessionStorageOptions": {"namespace": "sessions", "default_expires_in": 600,
                                   "cache_root": directory + "/tmp/lemonldap"},
    # Its own users, each with the name as password: dwho, msmith, rtyler.
    "authentication": "Demo", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null",
    "demoExportedVars": {"uid": "uid", "mail": "mail", "cn": "cn"},
    "locationRules": {"localhost": {"default": "accept"}}, "exportedHeaders": {}, "vhostOptions": {},
    "captcha_mail_enabled": 0, "captcha_register_enabled": 0,
    "portalDisplayRegister": 0, "portalDisplayResetPassword": 0, "stayConnected": 0,
    "issuerDBCASActivation": 1, "issuerDBCASRule": 1,
    "issuerDBOpenIDConnectActivation": 1, "issuerDBOpenIDConnectRule": 1,
    "oidcServiceMetaDataIssuer": portal, "oidcServiceAllowAuthorizationCodeFlow": 1,
    "oidcServicePrivateKeySig": open(place + "oidc.key").read(), "oidcServicePublicKeySig": public.stdout.decode(),
    "oidcServiceKeyIdSig": "tests",
    "oidcRPMetaDataOptions": {"posted": {"oidcRPMetaDataOptions" + name: value for name, value in client.items()}},
    "oidcRPMetaDataExportedVars": {"posted": {"name": "cn"}},
}
with open(place + "conf/lmConf-1.json", "w") as file:
    json.dump(configuration, file)
