import HttpC
import HttpConvPlatform

/// Answers for login pages, from the profile and the command line, which takes precedence.
struct PreparedAnswers: Sendable {
    private var sources: [String: AnswerSource]
    private let origins: Set<Origin>
    /// All origins that the profile and the command line name (security rule S21).
    private(set) var named: Set<Origin>

    init(_ profile: Profile, _ settings: WebSettings) {
        sources = profile.answers.merging(settings.answers) { $1 }
        let typed = settings.answerOrigins
        origins = Set(Self.origins(of: profile) + typed)
        named = Set(profile.answerOrigins + Self.places(of: profile) + typed)
    }

    /// Adds origins that the person has confirmed. They get no prepared answers.
    mutating func confirm(_ origins: [Origin]) { named.formUnion(origins) }

    var isEmpty: Bool { sources.isEmpty }

    /// The values. The profile's processes share the used one-time codes.
    func fetch(_ state: ProfileState) async throws -> FormAnswers? {
        if sources.isEmpty { return nil }
        var answers: [String: FormAnswers.Answer] = [:]
        for (field, source) in sources {
            let name = "answer for \"\(TerminalText.sanitise(field, limit: 60))\""
            switch source {
            case .text(let place):
                if let text = try await SecretReader.read(place, name) { answers[field] = .text(text) }
            case .totp(let place):
                guard let secret = try await SecretReader.read(place, name) else { continue }
                answers[field] = .totp(try TOTPSecret(base32: secret.value))
            }
        }
        return try FormAnswers(answers, origins: Array(origins), usedCodes: ProfileUsedCodes(state: state))
    }

    /// Security rule S14: the listed origins of the profile, else all that it names.
    static func origins(of profile: Profile) -> [Origin] {
        profile.answerOrigins.isEmpty ? places(of: profile) : profile.answerOrigins
    }

    private static func places(of profile: Profile) -> [Origin] {
        var origins = profile.match.map(\.origin)
        origins += [profile.saml2?.finish?.page, profile.saml2?.start, profile.webLogin?.start].compactMap {
            $0?.origin
        }
        origins += profile.webLogin?.redirects.compactMap(\.origin) ?? []
        if let server = profile.logon?.server { origins.append(server.origin) }
        let pages = [profile.oauth2?.issuer, profile.oauth2?.authorizationEndpoint, profile.oauth2?.sapServer]
        return origins + pages.compactMap { $0.flatMap { try? TargetURL($0).origin } }
    }
}
