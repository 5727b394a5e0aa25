import HttpConvFormats
import HttpConversation

/// The parameters of a Digest challenge that can be answered (RFC 7616 §3.3).
struct DigestParameters: Sendable {
    /// The qualities of protection.
    enum Quality: String, Sendable {
        case auth
        case authInt = "auth-int"
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// The algorithm as the server wrote it, to be repeated; nil if it named none.
    let algorithmName: String?
    /// The offered qualities; empty for a server that follows RFC 2069, which has no `qop`.
    let qualities: Set<Quality>
    let hashesUsername: Bool
    /// The URLs that `domain` names; nil if it names none.
    let domain: [TargetURL]?

    /// Nil if a parameter is missing or unsupported: then the challenge is not answered.
    init?(_ challenge: AuthenticationChallenge) {
        let offered = challenge.offered
        guard challenge.method == .digest, let realm = offered.realm, let nonce = offered.parameter("nonce"),
            let algorithm = DigestAlgorithm(offered.parameter("algorithm")),
            // An answer repeats and hashes these bytes, so it would be wrong.
            ![realm, nonce, offered.parameter("opaque") ?? ""].contains(where: \.hasLostBytes)
        else { return nil }
        let names = Self.words(offered.parameter("qop"), separators: ", \t").map { $0.lowercased() }
        let qualities = Set(names.compactMap(Quality.init))
        guard names.isEmpty || !qualities.isEmpty else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = offered.parameter("opaque")
        self.algorithm = algorithm
        algorithmName = offered.parameter("algorithm")
        self.qualities = qualities
        hashesUsername = offered.parameter("userhash")?.lowercased() == "true"
        let listed = Self.words(offered.parameter("domain"), separators: " \t")
        domain = listed.isEmpty ? nil : listed.compactMap { try? challenge.target.resolving($0) }
    }

    private static func words(_ text: String?, separators: String) -> [String] {
        (text ?? "")[...].utf8.split { separators.utf8.contains($0) }.map { String(Substring($0)) }
    }
}
