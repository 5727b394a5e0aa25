#if os(Linux)
import HTTPTypes
import HttpConversation
import Testing

@testable import HttpConvWebStrategies

/// `Cross-Origin-Resource-Policy` of what the conversation fetches for the browser.
@Suite struct ResourcePolicyTests {
    @Test(
        arguments: [
            (nil, "https://other.test", true), ("cross-origin", "https://other.test", true),
            ("same-origin", "https://login.corp.example", false), ("same-origin", "https://static.corp.example", true),
            ("same-origin", nil, false), ("same-site", "https://login.corp.example", true),
            ("same-site", "https://corp.example", true), ("same-site", "http://login.corp.example", false),
            ("same-site", "https://other.example", false), ("same-site", "https://corp.example.other.test", false),
            ("same-site", nil, false),
        ] as [(String?, String?, Bool)])
    func whoMayHaveAnAnswer(policy: String?, page: String?, isAllowed: Bool) throws {
        #expect(try allows(policy, to: page) == isAllowed)
    }

    /// Without a list nothing is known of registrable domains, and addresses have none.
    @Test(
        arguments: [
            ("https://static.corp.example", "https://static.corp.example:81", true),
            ("https://static.corp.example", "https://login.corp.example", false),
        ])
    func withoutAListOfSuffixes(server: String, page: String, isAllowed: Bool) throws {
        #expect(try allows("same-site", of: server, to: page, suffixes: nil) == isAllowed)
    }

    @Test func addressesHaveNoDomain() throws {
        #expect(try allows("same-site", of: "https://10.0.0.1", to: "https://10.9.0.1") == false)
        #expect(try allows("same-site", of: "https://10.0.0.1", to: "https://10.0.0.1:81"))
    }

    @Test(arguments: [("*", true), ("https://other.test", true), ("https://third.test", false), (nil, false)])
    func underCORSTheBrowserDecides(consent: String?, isAllowed: Bool) throws {
        #expect(try allows("same-origin", to: "https://other.test", consent: consent, isCORS: true) == isAllowed)
        #expect(try allows("same-origin", to: "https://other.test", consent: consent) == false)
    }

    private func allows(
        _ policy: String?, of server: String = "https://static.corp.example", to page: String?,
        consent: String? = nil, isCORS: Bool = false, suffixes: PublicSuffixList? = PublicSuffixList(parsing: "example")
    ) throws -> Bool {
        var (answer, asked) = (HTTPFields(), HTTPFields())
        if let policy { answer.append(try HTTPField(checking: "Cross-Origin-Resource-Policy", policy)) }
        if let consent { answer.append(try HTTPField(checking: "Access-Control-Allow-Origin", consent)) }
        if isCORS { asked[.origin] = page }
        return ResourcePolicy(publicSuffixes: suffixes).allows(
            answer, of: try TargetURL(server).origin, to: try page.map { try TargetURL($0).origin }, asked: asked)
    }
}
#endif
