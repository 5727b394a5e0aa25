import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
public import HttpConversation

/// The application's assertions about a person or a service, for the grants ``OAuth2Grant/jwtBearer(_:)`` and
/// ``OAuth2Grant/saml2Bearer(_:)`` (RFC 7521 §4.1).
///
/// ```swift
/// let assertions = OAuth2AssertionSource { request in try await broker.assertion(for: request.audience) }
/// ```
/// An assertion is sent to the token endpoint of the configuration only, once for each grant. It never comes from a
/// page of a web login.
public struct OAuth2AssertionSource: Sendable {
    /// The audience that each assertion must name; nil: the configured issuer, else the token endpoint.
    public let audience: String?
    private let obtain: @Sendable (OAuth2AssertionRequest) async throws -> String

    /// - Parameters:
    ///   - audience: the audience that each assertion must name, if it is neither the issuer nor, without an issuer,
    ///     the token endpoint
    ///   - obtain: gets an assertion; called for each grant. A SAML assertion is XML, or base64 of it, with or without
    ///     line breaks
    public init(
        audience: String? = nil, _ obtain: @escaping @Sendable (OAuth2AssertionRequest) async throws -> String
    ) {
        self.audience = audience
        self.obtain = obtain
    }

    /// Assertions that this client signs itself, as service accounts do: valid for a minute, at one server (RFC 7523
    /// §3).
    ///
    /// - Parameters:
    ///   - key: signs the assertions
    ///   - issuer: the issuer that the server trusts; nil: the client's id
    ///   - subject: the person or service for which tokens are requested
    ///   - audience: the server's identifier; nil: the configured issuer, else the token endpoint
    public static func signed(
        by key: OAuth2ClientKey, issuer: String? = nil, subject: String, audience: String? = nil
    ) -> OAuth2AssertionSource {
        OAuth2AssertionSource(audience: audience) { request in
            try await ClientAssertion(
                clientID: issuer ?? request.clientID, audience: request.audience, subject: subject
            ).signed(by: key).value
        }
    }

    /// A checked assertion.
    ///
    /// - Throws: ``OAuth2Error/Code/assertionUnusable``; the errors of the application
    func assertion(
        _ format: Format, for configuration: OAuth2Configuration, in context: ConversationContext
    ) async throws -> Redacted<String> {
        let expected = audience ?? configuration.identifier
        let text = try await obtain(OAuth2AssertionRequest(configuration, audience: expected, context: context))
        let check = AssertionCheck(
            audience: expected, acceptsRecipient: audience == nil, endpoint: configuration.tokenEndpoint)
        return switch format {
        case .jwt: try check.token(text)
        case .saml2: try check.saml2(text)
        }
    }

    enum Format { case jwt, saml2 }
}

/// The purpose of an assertion or token that the application provides.
public struct OAuth2AssertionRequest: Sendable {
    /// The client's id at the authorization server.
    public let clientID: String
    /// The server that it is for: the configured audience, else the issuer, else the token endpoint.
    public let audience: String
    /// The token endpoint, which gets it.
    public let tokenEndpoint: TargetURL
    /// The conversation that needs the tokens.
    public let context: ConversationContext

    init(_ configuration: OAuth2Configuration, audience: String, context: ConversationContext) {
        clientID = configuration.clientID
        self.audience = audience
        tokenEndpoint = configuration.tokenEndpoint
        self.context = context
    }
}

/// Refuses assertions that are meant for another server, or have expired, before they are sent (security rule S31).
/// Their signatures are the server's business.
struct AssertionCheck {
    let audience: String
    /// Whether the token endpoint as the recipient of a SAML assertion suffices.
    let acceptsRecipient: Bool
    let endpoint: TargetURL
    var now = Date()
    /// The tolerated difference of two clocks.
    private static let leeway = Duration.seconds(600)
    private static let maximumLength = 1 << 20

    /// A JSON web token. The claims of an encrypted token cannot be read.
    func token(_ text: String) throws(OAuth2Error) -> Redacted<String> {
        let text = String(text.trimmingBlanks)
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength,
            text.isVisibleASCII
        else { throw refused("is not a JSON web token") }
        if let claims = JSONWebTokenText(text)?.claims {
            guard claims["aud"]?.texts?.contains(audience) == true else { throw foreign }
            if let end = claims["exp"]?.number, end < (now - Self.leeway).timeIntervalSince1970 { throw expired }
        }
        return Redacted(text)
    }

    /// A SAML assertion as XML, or in base64 of either alphabet, which may have line breaks.
    ///
    /// - Returns: the assertion in base64url (RFC 7522 §2.1)
    func saml2(_ text: String) throws(OAuth2Error) -> Redacted<String> {
        let text = String(text.trimmingBlanks)
        guard text.utf8.count <= Self.maximumLength else { throw refused("is too large") }
        guard let xml = text.hasPrefix("<") ? Array(text.utf8) : Self.unpacked(text) else {
            throw refused("is neither XML nor base64")
        }
        let reader = SAMLConditions()
        do {
            try XMLEventReader.read(xml, maximumDepth: 64, maximumElements: 10_000, handler: reader)
        } catch { throw refused("is not a SAML assertion: \(error.reason)") }
        guard reader.isAssertion else { throw refused("is not a SAML 2.0 assertion") }
        // RFC 7522 §3: the audience is the server, and the recipient of one confirmation its token endpoint.
        let own = reader.confirmations.filter { $0.recipient == endpoint.absoluteString }
        guard reader.audiences.contains(audience) || (acceptsRecipient && !own.isEmpty) else { throw foreign }
        let ends = (own.isEmpty ? reader.confirmations : own).map(\.end)
        guard !isPast(reader.end), ends.isEmpty || ends.contains(where: { !isPast($0) }) else { throw expired }
        return Redacted(Base64URL.text(xml))
    }

    private func isPast(_ end: Date?) -> Bool { end.map { $0 + Self.leeway < now } ?? false }

    private static func unpacked(_ text: String) -> [UInt8]? {
        let packed = String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
        return Base64URL.bytes(
            packed.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_"))
    }

    private var foreign: OAuth2Error {
        refused("is meant for another server: its audience has to be \(TerminalText.sanitise(audience))")
    }
    private var expired: OAuth2Error { refused("has expired: get a new one for each grant") }

    private func refused(_ why: String) -> OAuth2Error {
        OAuth2Error(.assertionUnusable, "The assertion for \(endpoint) was not sent: it \(why).", endpoint: endpoint)
    }
}

/// Reads the conditions of a SAML assertion (saml-core-2.0 §2.5, §2.4.1.2). Signatures are not checked.
private final class SAMLConditions: XMLEventHandler {
    private static let namespace = "urn:oasis:names:tc:SAML:2.0:assertion"
    private var path: [String] = []
    private var text = ""
    private(set) var isAssertion = false
    private(set) var audiences: [String] = []
    /// The end of the conditions.
    private(set) var end: Date?
    /// The confirmations of the subject. One valid confirmation suffices (RFC 7522 §3).
    private(set) var confirmations: [(recipient: String?, end: Date?)] = []

    func started(_ element: XMLElementStart) throws(FormatFailure) {
        let name = element.namespace == Self.namespace ? element.name : ""
        if path.isEmpty { isAssertion = name == "Assertion" }
        path.append(name)
        text = ""
        let end = element["NotOnOrAfter"].flatMap { Timestamp(Array($0.utf8)[...])?.date }
        switch path {
        case ["Assertion", "Conditions"]: self.end = end
        case ["Assertion", "Subject", "SubjectConfirmation", "SubjectConfirmationData"]:
            confirmations.append((element["Recipient"], end))
        default: break
        }
    }

    func read(_ text: String) throws(FormatFailure) { self.text += text }

    func ended() throws(FormatFailure) {
        if path == ["Assertion", "Conditions", "AudienceRestriction", "Audience"] {
            audiences.append(String(text.trimmingBlanks))
        }
        path.removeLast()
        text = ""
    }
}
