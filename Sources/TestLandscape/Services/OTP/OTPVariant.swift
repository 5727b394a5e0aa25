import HTTPTypes
import HummingbirdCore

/// The login for a resource with a second factor, see ``OTPServer``.
struct OTPVariant: Sendable {
    enum FirstFactor: Sendable {
        case basic
        case bearer
        case saml(SAMLVariant)
    }

    /// The progress of a request with the first factor.
    enum Progress {
        case passed(user: String)
        case challenged(Response)
    }

    let first: FirstFactor
    let isElsewhere: Bool
    /// Whether the form asks for Basic too.
    let isStrict: Bool

    /// Reads the words; nil if one is unknown.
    init?(_ text: String) {
        var words = text.split(separator: "-").map(String.init)
        isElsewhere = words.contains("elsewhere")
        isStrict = words.contains("strict")
        words.removeAll { ["elsewhere", "strict"].contains($0) }
        switch words.first {
        case "basic" where words.count == 1: first = .basic
        case "bearer" where words.count == 1: first = .bearer
        case "saml":
            let rest = Array(words.dropFirst())
            guard let variant = SAMLVariant(words: rest.isEmpty ? ["post", "post"] : rest) else { return nil }
            first = .saml(variant)
        default: return nil
        }
    }

    static let realm = BasicRealm(realm: "otp")

    func progress(_ exchange: ServerExchange) async throws -> Progress {
        switch first {
        case .basic:
            return Self.realm.authenticate(exchange).map { .passed(user: $0.name) }
                ?? .challenged(Self.realm.refusal(to: exchange))
        case .bearer:
            let check = try await BearerCheck(exchange)
            if let refusal = check.refusal(realm: "otp", scope: nil) { return .challenged(refusal) }
            guard case .valid(let info) = check, let user = info.authorization.user else {
                return .challenged(.text("a client is not a person\n", status: .forbidden))
            }
            return .passed(user: user)
        case .saml(let variant):
            let provider = ServiceProvider(exchange: exchange)
            guard let user = provider.user, !variant.isNever else { return .challenged(provider.challenge(variant)) }
            return .passed(user: user)
        }
    }

    /// The name of the first factor in answers.
    var factor: String {
        switch first {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .saml: "SAML2"
        }
    }
}
