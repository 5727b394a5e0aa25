#if os(Linux)
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// Settings that a browser cannot apply (security rule S28).
@Suite struct KeptConnectionsTests {
    private func origin(_ text: String) throws -> Origin { try TargetURL(text).origin }

    @Test func withoutSettingsTheBrowserIsFree() throws {
        let kept = KeptConnections(ConnectionPolicy())
        #expect(kept.arguments.isEmpty && kept.bypass.isEmpty && !kept.isEverything)
        #expect(!kept.contains(try origin("https://a.example/")))
    }

    @Test func whatHoldsEverywhereLeavesNoNetwork() throws {
        let kept = KeptConnections(ConnectionPolicy([.pinnedKeys]))
        #expect(kept.arguments == ["--host-resolver-rules=MAP * ~NOTFOUND"])
        // This includes plain http: the browser cannot resolve the name either.
        #expect(kept.contains(try origin("http://a.example/")))
        let proxy = try ProxyServer("socks5h://u:p@proxy.example")
        #expect(try BrowserProxy(.always(proxy), kept: kept).arguments == ["--no-proxy-server"])
    }

    @Test func serversAreKeptOneByOne() throws {
        let kept = KeptConnections(
            ConnectionPolicy([.givenAddress], for: [try origin("https://a.example/"), try origin("http://[::1]:81/")]))
        #expect(
            kept.arguments == ["--host-resolver-rules=MAP [::1]:81 ~NOTFOUND,MAP a.example:443 ~NOTFOUND"])
        #expect(kept.contains(try origin("https://a.example/")))
        #expect(!kept.contains(try origin("https://b.example/")))
        // A proxy would resolve the names.
        let arguments = try BrowserProxy(.always(try ProxyServer("p")), kept: kept).arguments
        #expect(arguments.last?.contains("a.example:443") == true, "\(arguments)")
    }

    @Test func pinsSayNothingAboutPlainHTTP() throws {
        let kept = KeptConnections(ConnectionPolicy([.pinnedKeys], for: [try origin("http://a.example/")]))
        #expect(kept.arguments.isEmpty)
    }

    // MARK: The system's browser

    private func context(
        _ policy: ConnectionPolicy, proxies: ProxySettings = .none
    ) throws -> ConversationContext {
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = proxies
        configuration.challengeFilters.add(JudgingFilter(policy: policy))
        let manager = HttpConversationManager(
            transport: ScriptedTransport { _, _ in .init(.ok) }, configuration: configuration)
        return try manager.detachedContext(for: TargetURL("https://a.example/"))
    }

    @Test(arguments: ConnectionPolicy.Setting.allCases) func theSystemsBrowser(setting: ConnectionPolicy.Setting) throws
    {
        let (a, b) = (try origin("https://a.example/"), try origin("https://b.example/"))
        let context = try context(ConnectionPolicy([setting], for: [a]))
        let isRefused = [.pinnedKeys, .givenAddress, .unixSocket].contains(setting)
        let result = Result { try context.requireHeldElsewhere(at: a, by: "A browser") }
        if case .failure(let error) = result {
            #expect(isRefused && "\(error)".contains(setting.description), "\(error)")
        } else {
            #expect(!isRefused)
        }
        #expect(throws: Never.self) { try context.requireHeldElsewhere(at: b, by: "A browser") }
    }

    @Test(arguments: ConnectionPolicy.Setting.allCases) func aViewOfTheApplications(
        setting: ConnectionPolicy.Setting
    ) throws {
        let (here, there) = (try TargetURL("https://a.example/"), try TargetURL("https://b.example/"))
        let context = try context(ConnectionPolicy([setting], for: [there.origin]))
        for (start, target, isRefused) in [(here, there, true), (there, here, true), (here, here, false)] {
            let login = WebLogin(.saml2, start: start, cookieTargets: [target], returnsCookies: true) { _ in false }
            let result = Result { try context.requireHeldElsewhere(login, by: "A view") }
            if case .success = result { #expect(!isRefused) } else { #expect(isRefused) }
        }
    }

    @Test func aViewKnowsNoProxy() throws {
        let target = try TargetURL("https://a.example/")
        let login = WebLogin(.saml2, start: target, cookieTargets: [target], returnsCookies: true) { _ in false }
        let proxied = try context(ConnectionPolicy(), proxies: .always(try ProxyServer("p")))
        #expect(throws: WebLoginError.self) { try proxied.requireHeldElsewhere(login, by: "A view") }
        #expect(throws: Never.self) { try context(ConnectionPolicy()).requireHeldElsewhere(login, by: "A view") }
    }
}
#endif
