<?php
// Prepended to each script. Debian's wp-config.php reads files in /etc only; this names the folder of our own.
define('ABSPATH', '@DIR@/site/');
