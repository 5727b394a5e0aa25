import HttpConvFormats
import HttpConversation

/// The kind of login that a server demands beyond the present one: step-up (RFC 9470 §3), or a claims challenge of
/// Microsoft Entra (learn.microsoft.com/entra/identity-platform/claims-challenge).
public struct OAuth2AuthenticationDemand: Hashable, Sendable, Codable {
    /// The acceptable classes of authentication, separated by spaces (`acr_values`).
    public let acrValues: String?
    /// The longest acceptable time since the person's login, in seconds (`max_age`).
    public let maximumAge: Int?
    /// The demanded claims, a JSON object (OpenID Connect Core §5.5).
    public let claims: String?

    /// Creates a demand.
    public init(acrValues: String? = nil, maximumAge: Int? = nil, claims: String? = nil) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.claims = claims
    }

    /// Reads a challenge; nil if it demands no other login. Unusable values count as missing.
    init?(_ challenge: OfferedChallenge) {
        switch challenge.parameter("error") {
        case "insufficient_user_authentication":
            let classes = challenge.parameter("acr_values").flatMap { text in
                text.utf8.count <= 1000 && text.isPrintableASCII ? text : nil
            }
            self.init(
                acrValues: classes,
                maximumAge: challenge.parameter("max_age").flatMap {
                    PeerNumber.integer($0, clampingTo: 10 * 365 * 86_400)
                })
        case "insufficient_claims":
            guard let claims = challenge.parameter("claims").flatMap(Self.claims) else { return nil }
            self.init(claims: claims)
        default: return nil
        }
    }

    private static let maximumClaims = 4096

    /// The JSON object of a challenge's `claims`, which is in Base64.
    private static func claims(_ text: String) -> String? {
        guard text.utf8.count <= maximumClaims, let bytes = EdmText.binary(text),
            case .object? = JSONValue(Array(bytes))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The parameters of the authorization request. A server that names nothing gets a fresh login.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        parameters["acr_values"] = acrValues
        parameters["max_age"] = maximumAge.map { "\($0)" }
        parameters["claims"] = claims
        return parameters.isEmpty ? ["prompt": "login"] : parameters
    }
}
