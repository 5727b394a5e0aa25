<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'wordpress');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:@DIR@/run/mariadb.sock');
define('DB_CHARSET', 'utf8mb4');
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, "$name of the tests");
}
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('WP_CONTENT_DIR', '/usr/share/wordpress/wp-content');
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
