<?php
// Ends all sessions, as after an expiry.
require ABSPATH . 'wp-config.php';
WP_Session_Tokens::destroy_all_for_all_users();
