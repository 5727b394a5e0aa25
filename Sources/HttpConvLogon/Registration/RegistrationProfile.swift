import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import MobileServices

/// The destinations of a registration's credentials, and how its logins are recognised. It holds no secret.
struct RegistrationProfile: Sendable {
    let communicator: Communicator
    /// The server's root.
    let root: TargetURL
    /// The address of a gateway's ping; it answers after a login.
    let ping: TargetURL
    /// The fields that the server gets with every request.
    let fields: HTTPFields
    /// The application at a mobile server; nil at a gateway.
    let application: MobileApplication?
    /// The only servers that user name and password go to.
    let passwordOrigins: Set<Origin>
    let saml2: SAML2Config?
    let otp: OTPConfig?
    let oauth2: SAPOAuth2ServerSupport?

    /// Creates a profile from what was entered, or read from the vault.
    ///
    /// - Throws: ``LogonError/Code/invalidParameter``
    init(
        _ found: DetectedCommunicator, _ values: RegistrationDefaults, _ authentication: RegistrationAuthentication,
        applicationID: String, deviceID: String?
    ) throws(LogonError) {
        communicator = found.communicator
        root = found.root
        ping = try CommunicatorProbe.ping(values)
        fields = try values.fields(for: found.communicator)
        do {
            application =
                found.communicator == .gateway
                ? nil : try MobileApplication(at: found.root, id: applicationID, deviceID: deviceID)
            passwordOrigins = try authentication.answerOrigins.reduce(into: [found.root.origin]) {
                $0.insert(try TargetURL($1).origin)
            }
            saml2 = try Self.saml2(authentication, found.root)
            otp = authentication.types.isEmpty || authentication.wants("otp") ? .sap : nil
            oauth2 = try Self.oauth2(authentication, found.root)
        } catch let error as LogonError { throw error } catch {
            throw LogonError(
                .invalidParameter, "The configuration of the login cannot be used: \(Self.reason(error))",
                underlyingError: error)
        }
    }

    /// Creates a profile from the vault's record.
    ///
    /// - Throws: ``LogonError/Code/invalidParameter``
    init(_ record: RegistrationRecord, applicationID: String, deviceID: String?) throws(LogonError) {
        let root: TargetURL
        do throws(ConversationError) { root = try TargetURL(record.root) } catch {
            throw LogonError(.invalidServerHost, error.message, underlyingError: error)
        }
        try self.init(
            DetectedCommunicator(communicator: record.communicator, root: root), record.values, record.authentication,
            applicationID: applicationID, deviceID: deviceID)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as MobileServicesError: error.message
        case let error as ConversationError: error.message
        case let error as WebLoginError: error.message
        case let error as OAuth2Error: error.message
        default: "it is invalid."
        }
    }

    /// The SAML2 login. By default as mobile servers have it: an answer with their field is a challenge, and the login
    /// ends below the server's root, which has a path behind a relay server or a reverse proxy.
    private static func saml2(_ authentication: RegistrationAuthentication, _ root: TargetURL) throws -> SAML2Config? {
        guard authentication.types.isEmpty || authentication.wants("saml") else { return nil }
        return try SAML2Config(
            identifyingHeader: "com.sap.cloud.security.login",
            finishEndpoint: try root.resolving(authentication.saml2FinishEndpoint ?? "SAMLAuthLauncher"),
            finishParameter: authentication.saml2FinishParameter ?? "finishEndpointParam")
    }

    /// The OAuth2 login. By default its endpoints are below the server's root, too.
    private static func oauth2(
        _ authentication: RegistrationAuthentication, _ root: TargetURL
    ) throws -> SAPOAuth2ServerSupport? {
        guard authentication.types.isEmpty || authentication.wants("oauth") else { return nil }
        guard let clientID = authentication.oauth2ClientID else {
            guard authentication.oauth2AuthorizationEndpoint == nil, authentication.oauth2TokenEndpoint == nil,
                !authentication.wants("oauth")
            else { throw LogonError(.invalidParameter, "OAuth2 needs the client's id (oauth2.clientID).") }
            return nil
        }
        return try SAPOAuth2ServerSupport(
            serverURL: root, clientID: clientID,
            scopes: (authentication.oauth2Scopes ?? "").split(separator: " ").map(String.init),
            redirectURI: authentication.oauth2RedirectURI,
            authorizationEndpoint: try root.resolving(
                authentication.oauth2AuthorizationEndpoint ?? "oauth2/api/v1/authorize"),
            tokenEndpoint: try root.resolving(authentication.oauth2TokenEndpoint ?? "oauth2/api/v1/token"))
    }
}

extension RegistrationAuthentication {
    /// Whether a kind of login is named, such as `oauth2` or `saml2.web.redirect`.
    fileprivate func wants(_ kind: String) -> Bool { types.contains { $0.lowercased().hasPrefix(kind) } }
}
