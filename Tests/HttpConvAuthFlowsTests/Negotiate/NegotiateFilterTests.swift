#if os(Linux)
import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// Which servers get a ticket, without a realm: the login has none.
@Suite(.timeLimit(.minutes(1))) struct NegotiateFilterTests {
    private static func world(_ challenge: String = "Negotiate") -> ScriptedTransport {
        ScriptedTransport(capabilities: [
            .streamingRequests, .streamingResponses, .connectionOwners, .proxies,
        ]) { request, _ in
            if request.target.path == "/to", let location = request.target.query {
                return .init(.found, [.location: String(location)])
            }
            if request.headerFields[.authorization] != nil { return .init(.ok) }
            return .init(.unauthorized, [.wwwAuthenticate: challenge])
        }
    }

    private static func login() throws -> KerberosLogin { try KerberosLogin(.cache("MEMORY:none-\(UUID())")) }

    private static func asked(_ observer: RecordingObserver) -> [ProtectionSpace] {
        observer.logins.compactMap { if case .ticketUnavailable(let space, _) = $0 { space } else { nil } }
    }

    private static func manager(
        _ transport: ScriptedTransport, _ observer: RecordingObserver,
        _ configurators: CommonAuthenticationConfigurator...
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration(applying: configurators)
        configuration.observers.add(observer)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    @Test(arguments: [
        ("https://a.example/x", true), ("https://a.example:444/x", false), ("https://b.example/x", false),
        ("https://b.a.example/x", false), ("http://a.example/x", false), ("https://a.example./x", true),
    ]) func onlyNamedServersOverTLS(_ url: String, _ isAsked: Bool) async throws {
        for isRedirect in [false, true] {
            let (transport, observer) = (Self.world(), RecordingObserver())
            let manager = Self.manager(
                transport, observer, .negotiate(for: "https://a.example", login: try Self.login()))
            let start = isRedirect ? "https://first.example/to?\(url)" : url
            manager.update { $0.redirects.allowsDowngrade = true }
            let response = try await manager.get(start)
            #expect(response.status == .unauthorized)
            #expect(Self.asked(observer).count == (isAsked ? 1 : 0))
            #expect(transport.requests.allSatisfy { $0.headerFields[.authorization] == nil })
        }
    }

    @Test(arguments: [
        ("http://a.example/x", false, false), ("http://a.example/x", true, true),
        ("http://127.0.0.1:81/x", false, true),
        ("http://localhost/x", false, true),
    ]) func plainHTTPHasToBeAllowed(_ url: String, _ isAllowed: Bool, _ isAsked: Bool) async throws {
        let observer = RecordingObserver()
        let manager = Self.manager(
            Self.world(), observer,
            .negotiate(for: url, login: try Self.login(), allowsPlainHTTP: isAllowed))
        #expect(try await manager.get(url).status == .unauthorized)
        #expect(Self.asked(observer).count == (isAsked ? 1 : 0))
    }

    @Test func withoutATicketAnotherLoginAnswers() async throws {
        let (transport, observer) = (Self.world("Negotiate, Basic realm=\"r\""), RecordingObserver())
        let manager = Self.manager(
            transport, observer, .negotiate(for: "https://a.example", login: try Self.login()),
            .password("alice", "wonder"))
        let response = try await manager.get("https://a.example/x")
        #expect(response.status == .ok && response.login == .accepted)
        #expect(Self.asked(observer).count == 1)
        #expect(transport.requests.last?.headerFields[.authorization]?.hasPrefix("Basic ") == true)
    }

    @Test func negotiateIsStrongerThanDigest() {
        let methods: [AuthenticationMethod] = [.basic, .digest, .negotiate, .bearer]
        #expect(methods.map(\.strength) == methods.map(\.strength).sorted())
        #expect(AuthenticationMethod("NEGOTIATE", strength: 1).strength == 40)
    }

    @Test func aProxyGetsATicketOnlyIfItIsNamed() async throws {
        for isNamed in [false, true] {
            let observer = RecordingObserver()
            let transport = ScriptedTransport(capabilities: [
                .streamingRequests, .streamingResponses, .connectionOwners, .proxies,
            ]) { _, _ in .init(.proxyAuthenticationRequired, [.proxyAuthenticate: "Negotiate"]) }
            let login = try Self.login()
            let manager = Self.manager(
                transport, observer, .negotiate(for: "http://127.0.0.1:3128", "http://127.0.0.1", login: login),
                isNamed ? .negotiate(forProxy: "http://127.0.0.1:3128", login: login) : .password("a", "b"))
            let proxy = try ProxyServer("http://127.0.0.1:3128")
            manager.update { $0.proxies = .always(proxy) }
            #expect(try await manager.get("http://127.0.0.1/").status == .proxyAuthenticationRequired)
            #expect(Self.asked(observer).map(\.isProxy) == (isNamed ? [true] : []))
        }
    }

    @Test func aServerHasToBeNamed() async throws {
        let manager = Self.manager(Self.world(), RecordingObserver(), .negotiate())
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://a.example/") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(".negotiate(for:login:allowsPlainHTTP:)") == true)
    }

    @Test func bindingsHaveTheirPrefix() {
        #expect(NegotiateCredential.bindings([1, 2]) == Array("tls-server-end-point:".utf8) + [1, 2])
    }
}
#endif
