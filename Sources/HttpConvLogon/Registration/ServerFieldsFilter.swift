import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Adds the fields that a registration's server needs with every request: a gateway its client, a mobile server its
/// domain and security configuration. Other servers do not get them (security rule S7).
struct ServerFieldsFilter: RequestFilter {
    let person: LogonPerson

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard let profile = person.profile, profile.root.origin == request.target.origin,
            PathSpace.contains(String(profile.root.path), request.target)
        else { return }
        for field in profile.fields where !request.names(field.name) { request.headerFields.append(field) }
    }
}

extension ConversationRequest {
    /// Whether the request has a value of its own, as a field or in its query, where a gateway accepts it, too.
    fileprivate func names(_ name: HTTPField.Name) -> Bool {
        if headerFields.contains(name) { return true }
        return target.query?.split(separator: "&").contains {
            $0.prefix { $0 != "=" }.lowercased() == name.canonicalName
        } ?? false
    }
}

extension RegistrationDefaults {
    /// The value of ``serverDomain`` that leaves the domain to the server.
    private static let usualDomain = "default"

    /// The fields that a server of this kind gets with every request.
    ///
    /// - Throws: ``LogonError/Code/invalidParameter``
    func fields(for communicator: Communicator) throws(LogonError) -> HTTPFields {
        var fields = HTTPFields()
        if communicator == .gateway {
            guard gatewayClient.utf8.count <= 3, gatewayClient.utf8.allSatisfy(\.isASCIIDigit) else {
                throw LogonError(
                    .invalidParameter, "The gateway's client is not a number of up to three digits, such as 300.")
            }
            if !gatewayClient.isEmpty { fields[.sapClient] = gatewayClient }
        } else {
            if serverDomain != Self.usualDomain {
                fields[.domain] = try Self.name(serverDomain, "domain of the mobile server")
            }
            fields[.securityConfiguration] = try Self.name(
                securityConfig, "security configuration of the mobile server")
        }
        return fields
    }

    /// A name to send; nil if it is empty.
    private static func name(_ text: String, _ meaning: String) throws(LogonError) -> String? {
        guard text.utf8.count <= 128, text.isVisibleASCII else {
            throw LogonError(
                .invalidParameter, "The \(meaning) may have up to 128 visible ASCII characters, and no spaces.")
        }
        return text.isEmpty ? nil : text
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    fileprivate static let sapClient = HTTPField.Name("sap-client")!
    fileprivate static let domain = HTTPField.Name("X-SUP-DOMAIN")!
    fileprivate static let securityConfiguration = HTTPField.Name("X-SUP-SC")!
}
