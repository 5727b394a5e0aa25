#!/bin/sh
# Starts the programs of WordPress: MariaDB without tables of its own, PHP, and Apache httpd, which this process becomes
# when WordPress is installed. They end together, because they are one process group.
set -eu
cd "@DIR@"
@AS@ /usr/sbin/mariadbd --no-defaults --datadir="@DIR@/data" --socket="@DIR@/run/mariadb.sock" --skip-networking \
    --skip-grant-tables --tmpdir="@DIR@/tmp" --pid-file="@DIR@/run/mariadb.pid" --log-error="@DIR@/logs/mariadb.log" --aria-log-dir-path="@DIR@/data" \
    --innodb-flush-log-at-trx-commit=0 --innodb-log-file-size=4M --innodb-buffer-pool-size=16M &
PHP_FCGI_CHILDREN=4 PHP_FCGI_MAX_REQUESTS=0 @AS@ php-cgi -d auto_prepend_file="@DIR@/site/place.php" -b "@DIR@/run/php.sock" &
while [ ! -S run/mariadb.sock ]; do sleep 0.02; done
@AS@ php-cgi -q -d auto_prepend_file="@DIR@/site/place.php" -f "@DIR@/site/install.php" >logs/install.log 2>&1
while [ ! -S run/php.sock ]; do sleep 0.02; done
exec /usr/sbin/apache2 -DFOREGROUND -f "@DIR@/wordpress.conf"
