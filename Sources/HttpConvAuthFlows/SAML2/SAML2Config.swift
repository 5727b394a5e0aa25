public import HTTPTypes
public import HttpConversation

/// How a service provider's SAML2 challenges are recognised, and where a login starts and ends.
public struct SAML2Config: Hashable, Sendable {
    /// A response field whose mere presence is a challenge; nil where the server sends none: then forms are looked for.
    public let identifyingHeader: HTTPField.Name?
    /// The page that a login opens first, and that the service provider opens again at its end.
    public let finishEndpoint: TargetURL
    /// The query parameter whose mere presence in the finish endpoint's URL says that the login is done.
    public let finishParameter: String

    /// Describes a service provider.
    ///
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        identifyingHeader: String? = nil, finishEndpoint: some TargetURLConvertible, finishParameter: String
    ) throws(WebLoginError) {
        do throws(ConversationError) { self.finishEndpoint = try finishEndpoint.targetURL() } catch {
            throw WebLoginError(
                .invalidConfiguration, "The finish endpoint is no http or https URL: \(error.message)",
                underlyingError: error)
        }
        guard !finishParameter.isEmpty else {
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
        self.finishParameter = finishParameter
    }
}
