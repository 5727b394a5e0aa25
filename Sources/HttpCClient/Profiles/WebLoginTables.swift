import HttpC

/// The address of a page in a profile.
enum PageAddress: Sendable {
    case absolute(TargetURL)
    /// A path, at the origin of each request.
    case relative(String)

    /// The page for a request.
    func url(for target: TargetURL) throws(ConversationError) -> TargetURL {
        switch self {
        case .absolute(let url): url
        case .relative(let path): try target.origin.url(requestTarget: path)
        }
    }

    /// The origin of an absolute address.
    var origin: Origin? {
        if case .absolute(let url) = self { url.origin } else { nil }
    }
}

/// `[profiles.NAME.saml2]`.
struct SAML2Login: Sendable {
    var header: String?
    /// The page where a login starts and ends, and the parameter that it has at the end.
    var finish: (page: PageAddress, parameter: String)?
    /// The page where a login without a finish page starts.
    var start: PageAddress?
    /// The login without a page, by ECP.
    var ecp: ECPAccount?

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> SAML2Config {
        guard let finish else {
            return try SAML2Config(identifyingHeader: header, start: start?.url(for: target))
        }
        return try SAML2Config(
            identifyingHeader: header, finishEndpoint: finish.page.url(for: target), finishParameter: finish.parameter)
    }
}

/// The keys of `[profiles.NAME.saml2]` with `ecp`.
struct ECPAccount: Sendable {
    /// The identity provider's endpoint for ECP.
    let identityProvider: TargetURL
    /// The login there; nil: Kerberos tickets.
    let basic: BasicLogin?
}

/// `[profiles.NAME.web-login]`.
struct GeneralWebLogin: Sendable {
    var redirects: [PageAddress] = []
    var statuses: [Int] = []
    var header: (name: HTTPField.Name, value: String?)?
    var hasPasswordForm = false
    var start: PageAddress?
    var end: (page: PageAddress, parameters: [String])?

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> WebLoginConfiguration {
        var challenges: [WebLoginConfiguration.Challenge] = []
        for page in redirects { challenges.append(.redirect(to: try page.url(for: target))) }
        challenges += statuses.map { .status($0) }
        if let header { challenges.append(.header(header.name, value: header.value)) }
        if hasPasswordForm { challenges.append(.passwordForm) }
        let end: WebLoginConfiguration.End =
            try end.map { .navigation(try $0.page.url(for: target), parameters: $0.parameters) } ?? .resource
        let start = try start?.url(for: target)
        guard !challenges.isEmpty else { return try WebLoginConfiguration(start: start, end: end) }
        return try WebLoginConfiguration(challenges: challenges, start: start, end: end)
    }
}
