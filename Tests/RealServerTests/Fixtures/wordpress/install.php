<?php
// What WordPress's own page for installing it does.
mysqli_query(mysqli_connect(null, 'root', '', null, null, '@DIR@/run/mariadb.sock'), 'CREATE DATABASE wordpress');
$_SERVER['HTTP_HOST'] = '127.0.0.1:@PORT1@';
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['PHP_SELF'] = '/wp-admin/install.php';
define('WP_INSTALLING', true);
require_once ABSPATH . 'wp-config.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
// Nobody gets a mail.
function wp_new_blog_notification() {}
wp_install('Tests', 'alice', 'alice@example.com', false, '', 'secret');
update_option('siteurl', 'http://127.0.0.1:@PORT1@');
update_option('home', 'http://127.0.0.1:@PORT1@');
// Pictures of people would come from another server.
update_option('show_avatars', 0);
