<?php
$plain = 'http://127.0.0.1:@PORT1@';
$secure = 'https://127.0.0.1:@PORT3@';
$origins = ['redirect' => $plain, 'post' => $plain, 'artifact' => $plain, 'marked' => $plain, 'short' => $plain,
    'secure' => $secure];
foreach ($origins as $name => $origin) {
    $response = $name === 'artifact' ? 'artifact' : 'post';
    $metadata["urn:tests:$name"] = [
        'AssertionConsumerService' => [[
            'index' => 0,
            'isDefault' => true,
            'Binding' => 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-' . ($response === 'post' ? 'POST' : 'Artifact'),
            'Location' => "$origin/$name/mellon/{$response}Response",
        ]],
        'certificate' => 'sp.pem',
    ];
}
// Shibboleth's endpoints have other names.
foreach (['shibpost' => 'POST', 'shibredirect' => 'POST', 'shibartifact' => 'Artifact'] as $name => $binding) {
    $metadata["urn:tests:$name"] = [
        'AssertionConsumerService' => [[
            'index' => 1,
            'isDefault' => true,
            'Binding' => "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-$binding",
            'Location' => "$secure/$name/Shibboleth.sso/SAML2/$binding",
        ]],
        'certificate' => 'sp.pem',
    ];
}
// Service providers that get assertions by ECP.
foreach (['paos' => "$plain/paos/mellon/paosResponse", 'shibpaos' => "$secure/shibpaos/Shibboleth.sso/SAML2/ECP"] as $name => $url) {
    $metadata["urn:tests:$name"] = [
        'AssertionConsumerService' => [[
            'index' => 1,
            'isDefault' => true,
            'Binding' => 'urn:oasis:names:tc:SAML:2.0:bindings:PAOS',
            'Location' => $url,
        ]],
        'certificate' => 'sp.pem',
    ];
}
