import HttpConvFormats

/// Names of parameters whose values are never shown, in any place (security rule S20).
package enum SecretNames {
    private static let whole: Set<String> = [
        "code", "state", "sig", "sid", "auth", "jwt", "key", "otp", "pin", "pw", "pwd", "ticket", "cnonce", "desc",
    ]
    private static let parts = [
        "token", "secret", "passw", "passcode", "assertion", "signature", "saml", "nonce", "session", "credential",
        "apikey", "api_key", "api-key", "access_key", "accesskey", "authorization", "verifier",
    ]

    /// Whether a parameter or field of this name may hold a secret.
    package static func contains(_ name: some StringProtocol) -> Bool {
        let name = String(name).asciiLowercased
        return whole.contains(name) || parts.contains { name.contains(bytesOf: $0) }
    }
}
