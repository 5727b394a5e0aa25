import HttpC

/// `[profiles.NAME.saml2]`.
struct SAML2Login: Sendable {
    /// The URL where logins start and end.
    enum FinishEndpoint: Sendable {
        case absolute(TargetURL)
        /// A path, at the origin of each request.
        case relative(String)
    }

    let header: String?
    let finishEndpoint: FinishEndpoint
    let finishParameter: String

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> SAML2Config {
        let endpoint =
            switch finishEndpoint {
            case .absolute(let url): url
            case .relative(let path): try target.origin.url(requestTarget: path)
            }
        return try SAML2Config(
            identifyingHeader: header, finishEndpoint: endpoint, finishParameter: finishParameter)
    }
}
