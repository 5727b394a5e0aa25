import HttpConvFormats
public import HttpConvPlatform
import HttpConvVault
import HttpConversation
import MobileServices

/// Options from a file: a property list, as XML or binary, or JSON, with the keys that such files have always had. The
/// prefix of a key (`keyMAF…`) may be left out.
extension LogonOptions {
    /// Reads a file; values that it lacks are the defaults.
    ///
    /// - Throws: ``LogonError``, which names the key that is unknown or has an invalid value: `invalidParameter`;
    ///   `invalidCommunicatorID` for `CommunicatorId`; for default values of an operation, `invalidOperationContext` if
    ///   it has none, and `invalidOperationCode` if there is no such operation
    public init(file data: Data) throws(LogonError) {
        self.init()
        try read(file: data)
    }

    /// Reads one more file; values that it lacks stay. An invalid file changes nothing.
    ///
    /// - Throws: as ``init(file:)``
    public mutating func read(file data: Data) throws(LogonError) {
        var options = self
        let (document, reason) = Self.document(data)
        guard let document, case .group = document else {
            throw LogonError(
                .invalidParameter,
                "The options must be a property list or a JSON object, and not too long\(reason.map { ": \($0)" } ?? "")."
            )
        }
        for entry in try OptionEntry("options", document).members() { try options.read(entry) }
        self = options
    }

    /// The value of a file, or the reason why it has none.
    private static func document(_ data: Data) -> (OptionNode?, String?) {
        do throws(FormatFailure) { return (try OptionNode.read(data), nil) } catch {
            return (nil, TerminalText.sanitise(error.reason))
        }
    }

    private mutating func read(_ entry: OptionEntry) throws(LogonError) {
        switch entry.name {
        case "UrlSchemeForAfaria": afariaURLScheme = try entry.text()
        case "UseAfaria": usesAfaria = try entry.flag()
        case "UseFlowMode": usesFlowMode = try entry.flag()
        case "AllowAutomaticSecureStoreCreation": allowsAutomaticSecureStoreCreation = try entry.flag()
        case "UseSplashScreen": usesSplashScreen = try entry.flag()
        case "HideRegistrationFields":
            for field in try entry.members() { try hide(field) }
        case "DefaultValues":
            for context in try entry.members() {
                // Only the registration screen has default values.
                guard context.name == "Register" else { throw context.withoutDefaults }
                for value in try context.members() { try readDefault(value) }
            }
        case "Config": try authentication.read(entry)
        default: throw entry.unknown
        }
    }

    private mutating func hide(_ entry: OptionEntry) throws(LogonError) {
        guard let field = RegistrationField(rawValue: entry.name) else { throw entry.unknown }
        if try entry.flag() {
            hiddenRegistrationFields.insert(field)
        } else {
            hiddenRegistrationFields.remove(field)
        }
    }

    private mutating func readDefault(_ entry: OptionEntry) throws(LogonError) {
        if entry.name == "Config" { return try authentication.read(entry) }
        guard let field = RegistrationField(rawValue: entry.name) else { throw entry.unknown }
        try registration.read(field, entry)
    }
}

extension RegistrationDefaults {
    fileprivate mutating func read(_ field: RegistrationField, _ entry: OptionEntry) throws(LogonError) {
        switch field {
        case .serverPortNonSecure: serverPortNonSecure = try entry.port()
        case .serverPortSecure: serverPortSecure = try entry.port()
        case .serverHost: serverHost = try entry.text()
        case .serverPort: serverPort = try entry.optionalPort()
        case .isHTTPS: isHTTPS = try entry.flag()
        case .serverDomain: serverDomain = try entry.text()
        case .farmID: farmID = try entry.text()
        case .securityConfig: securityConfig = try entry.text()
        case .gatewayClient: gatewayClient = try entry.text()
        case .gatewayPingPath: gatewayPingPath = try entry.text()
        case .resourcePath: resourcePath = try entry.text()
        case .backendUserName: backendUserName = try entry.text()
        case .communicatorID: isGatewayOnly = try entry.communicator()
        case .passwordPolicy: passwordPolicy = try Self.policy(entry)
        }
    }

    private static func policy(_ entry: OptionEntry) throws(LogonError) -> PasswordPolicy {
        var values: [String: PropertyValue] = [:]
        for member in try entry.members() {
            let name = member.name.hasPrefix("PasswordPolicy") ? member.name : "PasswordPolicy\(member.name)"
            guard let value = try PasswordPolicy.value(name, flag: member.flag, number: member.number) else {
                throw member.unknown
            }
            values[name] = value
        }
        do throws(MobileServicesError) {
            return try PasswordPolicy(prefix: "PasswordPolicy", at: nil) { values[$0] }
        } catch {
            throw LogonError(.invalidParameter, error.message, underlyingError: error)
        }
    }
}

extension PasswordPolicy {
    /// A value of a policy's property, read by the property's type; nil if there is no such property.
    fileprivate static func value(
        _ name: String, flag: () throws(LogonError) -> Bool, number: () throws(LogonError) -> Int
    ) throws(LogonError) -> PropertyValue? {
        let suffix = String(name.dropFirst("PasswordPolicy".count))
        if Flag(rawValue: suffix) != nil { return .boolean(try flag()) }
        if Number(rawValue: suffix) != nil { return .integer(Int64(try number())) }
        return nil
    }
}

extension RegistrationAuthentication {
    /// Reads the configuration of logins; several configurations add up.
    fileprivate mutating func read(_ entry: OptionEntry) throws(LogonError) {
        for member in try entry.members() {
            switch member.name {
            case "AuthType":
                types = []
                for element in member.elements() { types.append(try element.text()) }
            case "AuthConfigs":
                for element in member.elements() {
                    for value in try element.members() { try readValue(value) }
                }
            default: try readValue(member)
            }
        }
    }

    private mutating func readValue(_ entry: OptionEntry) throws(LogonError) {
        switch entry.name {
        case "saml2.web.redirect.finish.endpoint": saml2FinishEndpoint = try entry.text()
        case "saml2.web.redirect.finish.endpoint.param": saml2FinishParameter = try entry.text()
        case "oauth2.authorizationEndpoint": oauth2AuthorizationEndpoint = try entry.text()
        case "oauth2.tokenEndpoint": oauth2TokenEndpoint = try entry.text()
        case "oauth2.clientID": oauth2ClientID = try entry.text()
        case "oauth2.scopes": oauth2Scopes = try entry.text()
        default: throw entry.unknown
        }
    }
}
