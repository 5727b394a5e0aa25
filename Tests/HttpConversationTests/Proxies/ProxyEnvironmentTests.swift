import HttpConversation
import Testing

/// Proxies out of an environment: curl's variables and curl's order.
@Suite struct ProxyEnvironmentTests {
    private func proxy(_ url: String, _ variables: [String: String]) throws -> String? {
        try ProxySettings.environment(variables).proxy(for: TargetURL(url))?.origin.host
    }

    @Test(
        arguments: [
            (["http_proxy": "p"], "p", nil), (["https_proxy": "p"], nil, "p"), (["HTTPS_PROXY": "p"], nil, "p"),
            (["https_proxy": "p", "HTTPS_PROXY": "q"], nil, "p"), (["all_proxy": "p"], "p", "p"),
            (["ALL_PROXY": "p"], "p", "p"), (["all_proxy": "p", "ALL_PROXY": "q", "http_proxy": "r"], "r", "p"),
            // In a CGI program, `HTTP_PROXY` comes from the client's request.
            (["HTTP_PROXY": "p"], nil, nil), (["HTTP_PROXY": "p", "ALL_PROXY": "q"], "q", "q"),
            (["http_proxy": "", "https_proxy": "", "all_proxy": ""], nil, nil),
            (["http_proxy": "", "all_proxy": "p"], "p", "p"),
            (["https_proxy": "", "HTTPS_PROXY": "p"], nil, "p"), ([:], nil, nil), (["Http_Proxy": "p"], nil, nil),
            (["all_proxy": "p", "no_proxy": "h"], nil, nil), (["all_proxy": "p", "NO_PROXY": "h"], nil, nil),
            (["all_proxy": "p", "no_proxy": "x", "NO_PROXY": "h"], "p", "p"),
            (["all_proxy": "p", "no_proxy": "", "NO_PROXY": "h"], nil, nil),
            (["all_proxy": "p", "no_proxy": "*"], nil, nil),
        ] as [([String: String], String?, String?)])
    func eachSchemeHasItsVariables(variables: [String: String], http: String?, https: String?) throws {
        #expect(try proxy("http://h/", variables) == http)
        #expect(try proxy("https://h/", variables) == https)
    }

    /// Security rule S11: at the proxy, `localhost` is another machine.
    @Test(arguments: ["localhost", "idp.localhost", "LOCALHOST.", "127.0.0.1", "127.8.9.10", "[::1]"])
    func thisMachineBypassesThem(host: String) throws {
        let variables = ["all_proxy": "http://p"]
        for scheme in ["http", "https"] {
            #expect(try proxy("\(scheme)://\(host):9/", variables) == nil)
            #expect(try proxy("\(scheme)://\(host):9/", variables.merging(["no_proxy": "h"]) { $1 }) == nil)
            let target = try TargetURL("\(scheme)://\(host):9/")
            let named = ProxySettings.environment(variables, bypass: "h").with(
                login: ProxyLogin(username: "bob", password: "b"), for: try ProxyServer("p"))
            #expect(try named.proxy(for: target) == nil)
            #expect(try ProxySettings.always(ProxyServer("p")).proxy(for: target) != nil, "somebody has chosen it")
        }
    }

    @Test(arguments: ["localhost.example", "notlocalhost", "128.0.0.1", "10.127.0.0", "[::2]"])
    func otherMachinesDoNot(host: String) throws {
        #expect(try proxy("http://\(host)/", ["all_proxy": "p"]) == "p")
    }

    @Test func anInvalidValueFailsItsRequest() throws {
        let variables = ["http_proxy": "http://canary:a/b@p", "https_proxy": "p", "no_proxy": "internal"]
        let error = try #require(throws: ConversationError.self) { try proxy("http://h/", variables) }
        #expect(error.code == .invalidConfiguration && error.message.contains("http_proxy"))
        #expect(!error.message.contains("canary"))
        #expect(try proxy("https://h/", variables) == "p")
        #expect(try proxy("http://internal/", variables) == nil)
        #expect(throws: ConversationError.self) { try proxy("http://h/", ["all_proxy": "socks4://p"]) }
    }

    @Test func aListOfTheCallersReplacesThatOfTheEnvironment() throws {
        let variables = ["all_proxy": "p", "no_proxy": "h"]
        #expect(try ProxySettings.environment(variables, bypass: "").proxy(for: TargetURL("http://h/")) != nil)
        #expect(try ProxySettings.environment(variables, bypass: "h,i").proxy(for: TargetURL("http://i/")) == nil)
    }

    @Test func explicitOnesAreChosenByScheme() throws {
        let settings = ProxySettings(http: try ProxyServer("p"), https: nil, bypass: "localhost")
        #expect(try settings.proxy(for: TargetURL("http://h/"))?.origin.host == "p")
        #expect(try settings.proxy(for: TargetURL("https://h/")) == nil)
        #expect(try settings.proxy(for: TargetURL("http://localhost/")) == nil)
        #expect(!settings.isEmpty && ProxySettings(http: nil, https: nil).isEmpty && ProxySettings.none.isEmpty)
    }

    /// A login replaces the configured one, and is for the named proxy alone (security rule S31).
    @Test(arguments: [
        ("http://alice:a@p", "p", true, true), ("p", "q", true, false), ("q", "p", false, true),
        ("p", "p:1081", true, false), ("p:1080", "socks5h://p:1080", true, false),
    ]) func aLoginIsForOneProxy(http: String, https: String, isForHTTP: Bool, isForHTTPS: Bool) throws {
        let login = ProxyLogin(username: "bob", password: "b")
        let settings = ProxySettings.environment(["http_proxy": http, "https_proxy": https]).with(
            login: login, for: try ProxyServer("http://p"))
        #expect((try settings.proxy(for: TargetURL("http://h/"))?.login == login) == isForHTTP)
        #expect((try settings.proxy(for: TargetURL("https://h/"))?.login == login) == isForHTTPS)
        #expect(ProxySettings.none.with(login: login, for: try ProxyServer("p")).isEmpty)
    }
}
