import HttpConvFormats
import HttpConversation

/// The names of the profile (saml-profiles-2.0 §4.2, liberty-paos-v2.0).
enum ECPNames {
    static let ecp = "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"
    static let paos = "urn:liberty:paos:2003-08"
    static let mediaType = "application/vnd.paos+xml"
    /// The value of the field `PAOS`.
    static let offer = "ver=\"\(paos)\";\"\(ecp)\""
}

/// A service provider's wish for a login: an authentication request for the identity provider.
struct ECPRequest: Sendable {
    private static let longestState = 8192

    let envelope: ECPEnvelope
    /// The URL that gets the identity provider's answer, as the service provider writes it.
    let consumer: String
    private let messageID: String?
    private let relayState: String?

    init(_ bytes: [UInt8]) throws(FormatFailure) {
        envelope = try ECPEnvelope(bytes)
        guard envelope.message.isNamed("AuthnRequest", ECPEnvelope.saml) else {
            throw FormatFailure("its body has no AuthnRequest")
        }
        guard let request = try envelope.block("Request", ECPNames.paos), request.isForUs,
            let consumer = request.element["responseConsumerURL"], request.element["service"] == ECPNames.ecp
        else { throw FormatFailure("its header has no paos:Request as the profile demands it") }
        self.consumer = consumer
        messageID = request.element["messageID"]
        let details = try envelope.block("Request", ECPNames.ecp)
        let state = try envelope.block("RelayState", ECPNames.ecp)
        guard details?.isForUs ?? true, state?.isForUs ?? true else {
            throw FormatFailure("its header has a block that is not marked as the profile demands it")
        }
        relayState = state?.text
        guard (relayState ?? "").utf8.count <= Self.longestState else {
            throw FormatFailure("its RelayState is too long", isTooLarge: true)
        }
        try envelope.refuseUnknownBlocks(except: [
            ("Request", ECPNames.paos), ("Request", ECPNames.ecp), ("RelayState", ECPNames.ecp),
        ])
    }

    /// Whether the authentication request names no other URL for the answer.
    var isConsistent: Bool { envelope.message["AssertionConsumerServiceURL"].map { $0 == consumer } ?? true }

    /// The blocks for the answer's header.
    var replyBlocks: [String] {
        var blocks: [String] = []
        if let messageID {
            blocks.append(ECPEnvelope.block("Response", ECPNames.paos, [("refToMessageID", messageID)]))
        }
        if let relayState { blocks.append(ECPEnvelope.block("RelayState", ECPNames.ecp, text: relayState)) }
        return blocks
    }
}

/// An identity provider's answer: a SAML response for the service provider.
struct ECPResponse: Sendable {
    private static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
    private static let loginFailed = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"

    let envelope: ECPEnvelope
    /// The URL that the assertion is for; nil if the answer does not say it.
    let consumer: String?

    init(_ bytes: [UInt8]) throws(FormatFailure) {
        envelope = try ECPEnvelope(bytes)
        if envelope.message.isNamed("Fault", ECPEnvelope.soap) {
            consumer = nil
            return
        }
        guard envelope.message.isNamed("Response", ECPEnvelope.saml) else {
            throw FormatFailure("its body has no SAML response")
        }
        let block = try envelope.block("Response", ECPNames.ecp)
        guard block?.isForUs ?? true else {
            throw FormatFailure("its header has a block that is not marked as the profile demands it")
        }
        consumer = block?.element["AssertionConsumerServiceURL"]
        try envelope.refuseUnknownBlocks(except: [
            ("Response", ECPNames.ecp), ("RequestAuthenticated", ECPNames.ecp),
        ])
    }

    /// Whether it is a SOAP fault.
    var isFault: Bool { envelope.message.isNamed("Fault", ECPEnvelope.soap) }

    /// Whether it says that the person could not be authenticated (saml-core-2.0 §3.2.2.2).
    var refusesLogin: Bool { envelope.statusCodes.contains(Self.loginFailed) }

    /// The reason why it has no assertion, for people; nil if the login succeeded.
    ///
    /// - Parameter hide: removes secrets from a text: an identity provider may repeat what it got
    func refusal(hiding hide: (String) -> String) -> String? {
        if envelope.message.isNamed("Response", ECPEnvelope.saml), envelope.statusCodes.first == Self.success {
            return nil
        }
        let code = envelope.statusCodes.last.map { hide($0).split(separator: ":").last ?? "" } ?? "fault"
        let text = hide(envelope.explanation).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return TerminalText.sanitise(text.isEmpty ? String(code) : "\(code): \(text)")
    }
}
