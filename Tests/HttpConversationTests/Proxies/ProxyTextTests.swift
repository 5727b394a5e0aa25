import HttpConversation
import Testing

/// Proxies as people write them for curl.
@Suite struct ProxyTextTests {
    @Test(arguments: [
        ("proxy.example", "http://proxy.example:1080"), ("proxy.example:3128", "http://proxy.example:3128"),
        ("http://Proxy.Example.:3128/", "http://proxy.example:3128"), ("HTTPS://proxy", "https://proxy:443"),
        ("http://proxy", "http://proxy:1080"), ("socks5h://proxy", "socks5://proxy:1080"),
        ("socks5://127.0.0.1:9", "socks5://127.0.0.1:9"), ("http://[0:0::1]:3128", "http://[::1]:3128"),
        ("[::1]", "http://[::1]:1080"), ("http://proxy:3128/x?y#z", "http://proxy:3128"),
        ("bücher.example", "http://xn--bcher-kva.example:1080"), ("http://@proxy", "http://proxy:1080"),
    ]) func isRead(text: String, proxy: String) throws {
        let server = try ProxyServer(text)
        #expect(server.description == proxy)
        #expect(server.login == nil)
        #expect(server.origin.scheme == (server.kind == .https ? .https : .http))
    }

    @Test(arguments: [
        ("http://alice:secret@proxy", "alice", "secret"), ("alice:secret@proxy:1", "alice", "secret"),
        ("http://alice@proxy", "alice", ""), ("http://:secret@proxy", "", "secret"),
        ("http://a%40b:c%3Ad%2F%2f@proxy", "a@b", "c:d//"), ("http://alice:a:b@proxy", "alice", "a:b"),
        ("socks5h://%C3%BC:%25@proxy", "ü", "%"),
    ]) func aLoginIsDecoded(text: String, username: String, password: String) throws {
        let server = try ProxyServer(text)
        #expect(server.login?.username.value == username && server.login?.password.value == password)
        #expect(server.origin.host == "proxy")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("secret") && !dumped.contains("alice"))
    }

    @Test(
        arguments: [
            ("http://canary:pa/canary@proxy", .invalidURL), ("http://canary:12/canary@proxy", .invalidURL),
            ("http://canary:1?canary@proxy", .invalidURL), ("http://canary:1#canary@proxy", .invalidURL),
            ("http://canary:canary@canary@proxy", .invalidURL), ("http://canary%0d%0aX:canary@proxy", .invalidURL),
            ("http://canary:%00canary@proxy", .invalidURL), ("http://canary:%ffcanary@proxy", .invalidURL),
            ("http://canary:%c2%85canary@proxy", .invalidURL), ("http://proxy canary", .invalidURL),
            ("http://proxy\r\ncanary", .invalidURL), ("http://proxy\\canary", .invalidURL), ("http://", .invalidURL),
            ("", .invalidURL), ("http://proxy:99999", .invalidURL), ("http://proxy:0", .invalidURL),
            ("http://proxy:canary", .invalidURL), ("http://[::1", .invalidURL), ("http://canary..x", .invalidURL),
            ("http://127.1", .invalidURL), ("socks4://canary:canary@proxy", .unsupportedScheme),
            ("socks4a://proxy", .unsupportedScheme), ("socks://proxy", .unsupportedScheme),
            ("ftp://proxy", .unsupportedScheme), ("canary://canary@proxy", .unsupportedScheme),
        ] as [(String, ConversationError.Code)])
    func invalidProxyTextIsNotEchoed(text: String, code: ConversationError.Code) throws {
        let error = try #require(throws: ConversationError.self) { try ProxyServer(text) }
        #expect(error.code == code)
        #expect(!"\(error)".contains("canary") && !error.message.contains("canary"))
    }
}
