<?php
$plain = 'http://127.0.0.1:@PORT1@';
$origins = ['redirect' => $plain, 'post' => $plain, 'artifact' => $plain, 'marked' => $plain, 'short' => $plain,
    'secure' => 'https://127.0.0.1:@PORT3@'];
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
