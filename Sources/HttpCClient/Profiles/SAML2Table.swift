import HttpC

/// `[profiles.NAME.saml2]`.
struct SAML2Table: Sendable {
    var header: String?
    /// The page where a login starts and ends, and the parameter that it has at the end.
    var finish: (page: PageAddress, parameter: String)?
    /// The page where a login without a finish page starts.
    var start: PageAddress?
    /// The login without a page, by ECP.
    var ecp: ECPKeys?

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> SAML2Config {
        guard let finish else {
            return try SAML2Config(identifyingHeader: header, start: start?.url(for: target))
        }
        return try SAML2Config(
            identifyingHeader: header, finishEndpoint: finish.page.url(for: target), finishParameter: finish.parameter)
    }
}
