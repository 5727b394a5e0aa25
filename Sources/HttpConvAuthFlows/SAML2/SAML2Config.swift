public import HTTPTypes
public import HttpConversation

/// How a service provider's SAML2 challenges are recognised, and where a login starts and ends.
public struct SAML2Config: Hashable, Sendable {
    /// A response field that marks a challenge, with any value; nil or empty: SAP's field marks one,
    /// `com.sap.cloud.security.login`. Forms and redirects are looked for in any case. The configurations for the URLs
    /// of one server should have the same: in a successful answer that is not a page, only the names count that the
    /// providers have given for the server so far.
    public let identifyingHeader: HTTPField.Name?
    /// The page that a login opens first, and to which the service provider returns at its end. Nil: the login opens
    /// the resource, and ends when the resource answers without a challenge (``WebLoginTrial``).
    public let finishEndpoint: TargetURL?
    /// The query parameters of the finish endpoint's URL that together mark the end of the login: each a name, with any
    /// value, or a name with its value, such as `status=done`. Empty without a finish endpoint.
    public let finishParameters: [String]
    /// The page that a login without a finish endpoint opens first; nil: the URL that was challenged.
    public let start: TargetURL?
    /// The parameters as one text, joined by ampersands.
    public var finishParameter: String { finishParameters.joined(separator: "&") }

    /// Creates a configuration with one finish parameter.
    ///
    /// - Parameters:
    ///   - identifyingHeader: the response field that marks a challenge, besides forms and redirects; nil: SAP's
    ///   - finishEndpoint: the page where a login starts and ends
    ///   - finishParameter: a name, or a name with its value; several may be joined by ampersands
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        identifyingHeader: String? = nil, finishEndpoint: some TargetURLConvertible, finishParameter: String
    ) throws(WebLoginError) {
        try self.init(
            identifyingHeader: identifyingHeader, finishEndpoint: finishEndpoint, finishParameters: [finishParameter])
    }

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - identifyingHeader: the response field that marks a challenge, besides forms and redirects; nil: SAP's
    ///   - finishEndpoint: the page where a login starts and ends
    ///   - finishParameters: names, or names with values; all must be present at the end
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        identifyingHeader: String? = nil, finishEndpoint: some TargetURLConvertible, finishParameters: [String]
    ) throws(WebLoginError) {
        self.finishEndpoint = try WebLoginError.checked("finish endpoint", finishEndpoint)
        start = nil
        guard !finishParameters.isEmpty, !finishParameters.contains("") else {
            throw WebLoginError(.invalidConfiguration, "A SAML2 configuration needs the name of its finish parameter.")
        }
        self.identifyingHeader = try Self.checked(identifyingHeader)
        self.finishParameters = finishParameters
    }

    /// Creates a configuration for a service provider without a finish endpoint, as most are.
    ///
    /// - Parameters:
    ///   - identifyingHeader: the response field that marks a challenge, besides forms and redirects; nil: SAP's
    ///   - start: the page that a login opens first; nil: the URL that was challenged
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        identifyingHeader: String? = nil, start: (any TargetURLConvertible)? = nil
    ) throws(WebLoginError) {
        self.identifyingHeader = try Self.checked(identifyingHeader)
        if let start { self.start = try WebLoginError.checked("start page", start) } else { self.start = nil }
        finishEndpoint = nil
        finishParameters = []
    }

    private static func checked(_ header: String?) throws(WebLoginError) -> HTTPField.Name? {
        guard let header, !header.isEmpty else { return nil }
        guard let name = HTTPField.Name(header) else { throw .invalidHeader }
        return name
    }
}
