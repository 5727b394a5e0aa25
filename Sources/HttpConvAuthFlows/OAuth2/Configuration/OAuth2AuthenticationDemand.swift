import HttpConvFormats
import HttpConversation

/// The kind of login that a server demands beyond the present one (step-up, RFC 9470 §3).
public struct OAuth2AuthenticationDemand: Hashable, Sendable, Codable {
    /// The acceptable classes of authentication, separated by spaces (`acr_values`).
    public let acrValues: String?
    /// The longest acceptable time since the person's login, in seconds (`max_age`).
    public let maximumAge: Int?

    /// Creates a demand.
    public init(acrValues: String? = nil, maximumAge: Int? = nil) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge
    }

    /// Reads a challenge; nil if it demands no other login. Unusable values count as missing.
    init?(_ challenge: OfferedChallenge) {
        guard challenge.parameter("error") == "insufficient_user_authentication" else { return nil }
        let classes = challenge.parameter("acr_values").flatMap { text in
            text.utf8.count <= 1000 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
        self.init(
            acrValues: classes,
            maximumAge: challenge.parameter("max_age").flatMap { PeerNumber.integer($0, clampingTo: 10 * 365 * 86_400) }
        )
    }

    /// The parameters of the authorization request. A server that names nothing gets a fresh login.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        parameters["acr_values"] = acrValues
        parameters["max_age"] = maximumAge.map { "\($0)" }
        return parameters.isEmpty ? ["prompt": "login"] : parameters
    }
}
