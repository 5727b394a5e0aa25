import HTTPTypes
import HttpConversation
import Testing

@Suite struct RedactionTests {
    @Test func redactedHidesItsValueInEveryOutput() {
        struct Holder { let secret = Redacted("CANARY") }
        var dumped = ""
        dump(Holder(), to: &dumped)
        let texts = [
            "\(Redacted("CANARY"))", String(reflecting: Redacted("CANARY")), "\(Holder())",
            String(reflecting: Holder()), dumped,
        ]
        for text in texts { #expect(!text.contains("CANARY"), "\(text)") }
    }

    @Test(arguments: [
        ("Authorization", "Basic Q0FOQVJZ", "Basic <redacted>"),
        ("Set-Cookie", "sid=CANARY; Path=/", "sid=<redacted>; Path=/"),
        ("Cookie", "a=CANARY; b=CANARY", "a=<redacted>; b=<redacted>"),
        ("Cookie", "a=\u{301}CANARY=;\u{301}b=\u{301}CANARY", "a=<redacted>; \u{301}b=<redacted>"),
        ("Set-Cookie", "sid=\u{301}CANARY; Path=/", "sid=<redacted>; Path=/"),
        ("Authorization", "Basic \u{301}CANARY", "Basic <redacted>"),
        ("Location", "/cb?\u{301}x=\u{301}CANARY&a=1", "/cb?\u{301}x=…&a=…"),
        ("Location", "https://h/cb?code=CANARY#CANARY", "https://h/cb?code=…#…"),
        ("Location", "/cb?state=CANARY", "/cb?state=…"),
        ("Location", "com.example:/cb?code=CANARY", "<redacted>"),
        ("WWW-Authenticate", "Digest realm=\"r\", nonce=\"CANARY\"", "Digest realm=\"r\""),
        ("WWW-Authenticate", "Negotiate CANARY==", "Negotiate"),
        ("X-API-Key", "CANARY", "<redacted, 6 bytes>"),
        ("X-CSRF-Token", "CANARY", "<redacted, 6 bytes>"),
        ("Content-Type", "text/html", "text/html"),
        ("Server", "evil\u{9B}31m", "evil\\u{9b}31m"),
    ])
    func fieldsShowOnlyHarmlessValues(name: String, value: String, shown: String) throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: value)
        #expect(FieldRedaction.shownValue(of: field) == shown)
    }

    /// A query's values are shown if their form leaves no room for a secret.
    @Test(arguments: [
        ("$select=Name,Address/City,N.Type/*", true), ("$orderby=Name%20desc,Price", true), ("$orderby=Name+asc", true),
        ("$expand=Items,Orders/Lines", true), ("$top=5&$skip=10", true), ("$format=json", true), ("sort=-date", true),
        ("$format=application/json;odata.metadata=none", true), ("lang=en-GB", true), ("$count=true", true),
        ("$expand=Items($filter=Pin%20eq%20'CANARY')", false), ("$expand=Items($search=CANARY)", false),
        ("$expand=Items%28%24filter=a%29", false), ("$orderby=contains(Name,'CANARY')", false),
        ("$orderby=Name%20CANARY", false), ("$select=Name;token=CANARY", false), ("$search=CANARY", false),
        ("$apply=filter(Name%20eq%20'CANARY')", false), ("$compute=CANARY%20as%20x", false),
        ("$skiptoken=CANARY", false),
        ("$top=CANARY", false), ("page=CANARY", false), ("$filter=a", false), ("%24top=5", false),
        ("$select=1CANARY", false),
        ("$select='CANARY'", false), ("$count=/x?CANARY", false), ("$format=application/json;p=%22CANARY%22", false),
    ])
    func valuesOfAQuery(query: String, isShown: Bool) throws {
        let shown = "\(try TargetURL("https://h/s?\(query)"))"
        #expect((shown == "https://h/s?\(query)") == isShown, "\(shown)")
        #expect(!shown.contains("CANARY"), "\(shown)")
    }

    @Test func peersTextIsOneHarmlessLine() {
        let text = TerminalText.sanitise("a\u{1B}]0;title\u{7}\nb\u{202E}c\u{85}d" + String(repeating: "x", count: 500))
        #expect(text.hasPrefix("a\\u{1b}]0;title\\u{7}\\u{a}b\\u{202e}c\\u{85}d"))
        #expect(!text.contains("\n"))
        #expect(text.count < 260)
    }

    @Test func errorsAndCookiesHideTheirSecrets() {
        struct Leaky: Error { let password = "CANARY" }
        let error = ConversationError(.authenticationFailed, "The provider failed.", underlyingError: Leaky())
        let cookie = Cookie(name: "sid", value: "CANARY", domain: "h", isHostOnly: true)
        var dumped = ""
        dump(error, to: &dumped)
        dump(cookie, to: &dumped)
        for text in ["\(error)", String(reflecting: error), "\(cookie)", String(reflecting: cookie), dumped] {
            #expect(!text.contains("CANARY"), "\(text)")
        }
    }
}
