#!/bin/sh
# Starts the providers, and becomes Apache httpd with the relying parties. They end together, because they are one
# process group.
set -eu
cd "@DIR@"
@PYTHON@ "@SOURCE@/oauth_server.py" "@DIR@" @PORT1@ @PORT2@ &
/usr/bin/python3 "@SOURCE@/lemonldap/make_configuration.py" "@DIR@" https://localhost:@PORT5@ https://127.0.0.1:@PORT3@
LLNG_DEFAULTCONFFILE="@DIR@/lemonldap/lemonldap-ng.ini" @AS@ /usr/bin/plackup --host 127.0.0.1 --port @PORT6@ \
    "@DIR@/lemonldap/portal.psgi" >logs/lemonldap.log 2>&1 &
exec /usr/sbin/apache2 -DFOREGROUND -f "@DIR@/relying.conf"
