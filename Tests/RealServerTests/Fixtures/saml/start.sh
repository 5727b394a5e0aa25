#!/bin/sh
# Starts the programs of the SAML2 server: shibd for mod_shib, PHP for SimpleSAMLphp, and Apache httpd, which this
# process becomes. They end together, because they are one process group.
set -eu
cd "@DIR@"
PHP_FCGI_CHILDREN=4 PHP_FCGI_MAX_REQUESTS=0 @AS@ php-cgi -b "@DIR@/run/php.sock" &
@AS@ shibd -F -f -c "@DIR@/shib/shibboleth2.xml" -p "@DIR@/run/shibd.pid" &
while [ ! -S run/php.sock ] || [ ! -S run/shibd.sock ]; do sleep 0.02; done
# At each request, mod_auth_mellon's library reads the whole file of the system's authorities. There is none for it here.
export SSL_CERT_FILE="@DIR@/none.pem" SSL_CERT_DIR="@DIR@/none"
exec /usr/sbin/apache2 -DFOREGROUND -f "@DIR@/saml.conf"
