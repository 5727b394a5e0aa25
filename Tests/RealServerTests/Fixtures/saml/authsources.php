<?php
$config = [
    'users' => ['authcrypt:Htpasswd', 'htpasswd_file' => '@DIR@/htpasswd', 'static_attributes' => []],
];
