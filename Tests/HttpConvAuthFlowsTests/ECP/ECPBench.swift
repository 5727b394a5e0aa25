import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization

@testable import HttpConvAuthFlows

/// A service provider and an identity provider that speak ECP, as far as a test lets them.
final class ECPBench: Sendable {
    static let consumer = "https://sp.example.com/acs"
    static let header = """
        <p:Request xmlns:p="urn:liberty:paos:2003-08" s:mustUnderstand="1" s:actor="\(ECPEnvelope.nextActor)" \
        responseConsumerURL="\(consumer)" service="\(ECPNames.ecp)" messageID="m1"/>\
        <e:Request xmlns:e="\(ECPNames.ecp)" s:mustUnderstand="1" s:actor="\(ECPEnvelope.nextActor)"/>\
        <e:RelayState xmlns:e="\(ECPNames.ecp)" s:mustUnderstand="1" s:actor="\(ECPEnvelope.nextActor)">a&amp;b</e:RelayState>
        """
    static let message = """
        <q:AuthnRequest xmlns:q="\(ECPEnvelope.saml)" ID="r1" AssertionConsumerServiceURL="\(consumer)"><q:Extra/></q:AuthnRequest>
        """
    static let replyHeader = """
        <e:Response xmlns:e="\(ECPNames.ecp)" s:mustUnderstand="1" s:actor="\(ECPEnvelope.nextActor)" \
        AssertionConsumerServiceURL="\(consumer)"/>
        """
    static let reply = """
        <q:Response xmlns:q="\(ECPEnvelope.saml)"><q:Status><q:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>\
        </q:Status><Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion">secret</Assertion></q:Response>
        """

    static func envelope(_ header: String, _ body: String) -> String {
        "<s:Envelope xmlns:s=\"\(ECPEnvelope.soap)\"><s:Header>\(header)</s:Header><s:Body>\(body)</s:Body></s:Envelope>"
    }

    /// An identity provider's answer without an assertion.
    ///
    /// - Parameter code: the inner status code
    static func refusal(_ code: String) -> ScriptedTransport.Answer {
        let codes = "Responder\"><q:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:\(code)\"/></q:StatusCode>"
        return .init(
            .ok, [.contentType: "text/xml"],
            body: envelope(replyHeader, reply.replacing("Success\"/>", with: codes)))
    }
    static let fault = ScriptedTransport.Answer(
        .ok, [.contentType: "text/xml"],
        body: envelope("", "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"))

    let transport: ScriptedTransport
    let observer = RecordingObserver()
    let manager: HttpConversationManager

    /// - Parameters:
    ///   - request: the service provider's envelope
    ///   - answer: the identity provider's answer
    ///   - acceptance: the service provider's answer to the assertion
    init(
        request: String = envelope(header, message),
        answer: ScriptedTransport.Answer = .init(.ok, [.contentType: "text/xml"], body: envelope(replyHeader, reply)),
        acceptance: ScriptedTransport.Answer = .init(.found, [.setCookie: "sp=in; Path=/", .location: "/elsewhere"]),
        other: @escaping @Sendable (TransportRequest) -> ScriptedTransport.Answer? = { _ in nil }
    ) {
        transport = ScriptedTransport { exchange, _ in
            if let answer = other(exchange) { return answer }
            switch exchange.target.absoluteString {
            case "https://idp.example.com/ecp": return answer
            case Self.consumer, "https://second.example.com/acs": return acceptance
            default: break
            }
            if exchange.headerFields[.cookie]?.contains("sp=in") == true { return .init(.ok, [:], body: "the page") }
            let isOffered =
                exchange.headerFields[.paos] == ECPNames.offer
                && exchange.headerFields[.accept]?.hasSuffix(ECPNames.mediaType) == true
            guard isOffered else { return .init(.forbidden, [:], body: "no offer") }
            return .init(
                .ok, [.contentType: "\(ECPNames.mediaType); charset=utf-8", .setCookie: "state=1; Path=/"],
                body: exchange.method == .head ? "" : Self.request(request, of: exchange.target.origin.host))
        }
        var configuration = HttpConversationManager.Configuration(applying: [
            CommonAuthenticationConfigurator.ecp(
                for: "https://sp.example.com", "https://second.example.com", "http://plain.example.com",
                identityProvider: "https://idp.example.com/ecp",
                login: .password(UsernamePassword(username: "alice", password: "wonder")))
        ])
        configuration.observers.add(observer)
        manager = HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// The second service provider wants the answer itself.
    private static func request(_ text: String, of host: String) -> String {
        host == "second.example.com" ? text.replacing("sp.example.com", with: host) : text
    }

    func get(_ url: String = "https://sp.example.com/page") async throws -> ConversationResponse {
        try await manager.get(url)
    }

    /// The error of a request.
    func error(_ url: String = "https://sp.example.com/page") async -> ConversationError? {
        do {
            _ = try await manager.get(url)
            return nil
        } catch { return error as? ConversationError }
    }

    /// The bodies that contained an assertion.
    var assertions: [String] { texts.filter { $0.contains("Assertion xmlns") } }
    var faults: [String] { texts.filter { $0.contains("faultstring") } }
    private var texts: [String] { transport.bodies.map { String(decoding: $0, as: UTF8.self) } }

    func requests(to host: String) -> [TransportRequest] {
        transport.requests.filter { $0.target.origin.host == host }
    }
}
