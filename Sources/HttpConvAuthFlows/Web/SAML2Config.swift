public import HTTPTypes
public import HttpConversation

/// How a service provider's SAML2 challenges are recognised, and where a login starts and ends.
public struct SAML2Config: Hashable, Sendable {
    /// A response field that marks a challenge, with any value; nil if the server sends none: then forms are looked
    /// for.
    public let identifyingHeader: HTTPField.Name?
    /// The page that a login opens first, and to which the service provider returns at its end.
    public let finishEndpoint: TargetURL
    /// The query parameters of the finish endpoint's URL that together mark the end of the login: each a name, with any
    /// value, or a name with its value, such as `status=done`.
    public let finishParameters: [String]
    /// The parameters as one text, joined by ampersands.
    public var finishParameter: String { finishParameters.joined(separator: "&") }

    /// Creates a configuration with one finish parameter.
    ///
    /// - Parameters:
    ///   - identifyingHeader: the response field that marks a challenge; nil: forms and redirects are looked for
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
    ///   - identifyingHeader: the response field that marks a challenge; nil: forms and redirects are looked for
    ///   - finishEndpoint: the page where a login starts and ends
    ///   - finishParameters: names, or names with values; all must be present at the end
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        identifyingHeader: String? = nil, finishEndpoint: some TargetURLConvertible, finishParameters: [String]
    ) throws(WebLoginError) {
        do throws(ConversationError) { self.finishEndpoint = try finishEndpoint.targetURL() } catch {
            throw WebLoginError(
                .invalidConfiguration, "The finish endpoint is not an http or https URL: \(error.message)",
                underlyingError: error)
        }
        guard !finishParameters.isEmpty, !finishParameters.contains("") else {
            throw WebLoginError(.invalidConfiguration, "A SAML2 configuration needs the name of its finish parameter.")
        }
        if let identifyingHeader {
            guard let name = HTTPField.Name(identifyingHeader) else {
                throw WebLoginError(
                    .invalidConfiguration,
                    "The identifying header cannot be the name of a header field.")
            }
            self.identifyingHeader = name
        } else {
            self.identifyingHeader = nil
        }
        self.finishParameters = finishParameters
    }
}
