<?php
$metadata['urn:tests:idp'] = [
    'host' => '__DEFAULT__',
    'privatekey' => 'idp.key',
    'certificate' => 'idp.pem',
    'auth' => 'users',
    'saml20.sendartifact' => true,
    'saml20.ecp' => true,
    'validate.authnrequest' => true,
];
