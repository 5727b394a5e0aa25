import Crypto
import HttpConvFormats
import HttpConversation

/// The proof key of one authorization (PKCE, RFC 7636), always by S256.
struct ProofKey: Sendable {
    /// Sent to the token endpoint with the code.
    let verifier: Redacted<String>

    /// A new key.
    init() { self.init(verifier: RandomText.make()) }

    init(verifier: String) { self.verifier = Redacted(verifier) }

    /// Sent to the authorization endpoint (RFC 7636 §4.2).
    var challenge: String { Base64URL.text(SHA256.hash(data: Array(verifier.value.utf8))) }
}
