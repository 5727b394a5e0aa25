#!/bin/sh
# Starts the programs of the SAML2 server: shibd for mod_shib, PHP for SimpleSAMLphp, and Apache httpd, which this
# process becomes. They end together, because they are one process group.
set -eu
cd "@DIR@"
PHP_FCGI_CHILDREN=4 PHP_FCGI_MAX_REQUESTS=0 @AS@ php-cgi -b "@DIR@/run/php.sock" &
@AS@ shibd -F -f -c "@DIR@/shib/shibboleth2.xml" -p "@DIR@/run/shibd.pid" &
while [ ! -S run/php.sock ] || [ ! -S run/shibd.sock ]; do sleep 0.02; done
exec /usr/sbin/apache2 -DFOREGROUND -f "@DIR@/saml.conf"
