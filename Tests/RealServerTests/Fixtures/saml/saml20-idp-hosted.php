<?php
$metadata['urn:tests:idp'] = [
    'host' => '__DEFAULT__',
    'privatekey' => 'idp.key',
    'certificate' => 'idp.pem',
    'auth' => 'users',
    'saml20.sendartifact' => true,
    'validate.authnrequest' => true,
];
