import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("Places of web logins") struct WebLoginPlaceTests {
    /// A path that a server may resolve differently is below no path.
    @Test(arguments: [
        ("https://a.example/login", "https://a.example/login", true),
        ("https://a.example/login", "https://a.example/login/step?x=1", true),
        ("https://a.example/login/", "https://a.example/login", true),
        ("https://a.example/", "https://a.example/any", true),
        ("https://a.example/login", "https://a.example/logins", false),
        ("https://a.example/login", "https://b.example/login", false),
        ("https://a.example/login", "https://a.example/login/%2e%2e/x", false),
        ("https://a.example/login", "https://a.example/x/../login", false),
        ("https://a.example/login", "https://a.example/x/%2e%2e/login", false),
        ("https://a.example/login", "https://a.example/x/..;/login", false),
    ])
    func contains(place: String, url: String, expected: Bool) throws {
        #expect(try TargetURL(url).isAt(TargetURL(place)) == expected)
    }
}
