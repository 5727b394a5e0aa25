import Foundation
import HttpConvFormats
import HttpConversation
import Testing

/// Texts that Swift counts as equal although their bytes differ: peers and storages tell them apart.
@Suite struct EqualTextTests {
    private static let composed = "r\u{e9}sum\u{e9}"
    private static let decomposed = "re\u{301}sume\u{301}"

    @Test func bytesDecide() {
        #expect(Self.composed == Self.decomposed && !Self.composed.hasSameBytes(as: Self.decomposed))
        #expect(Self.composed.hasSameBytes(as: Self.composed[...]))
        #expect(!"a\u{323}\u{307}".hasSameBytes(as: "a\u{307}\u{323}"))
    }

    @Test func realms() throws {
        let origin = try Origin(scheme: .https, host: "example.com")
        let spaces = [Self.composed, Self.decomposed].map {
            ProtectionSpace(origin: origin, method: .basic, realm: $0)
        }
        #expect(spaces[0] != spaces[1] && Set(spaces).count == 2)
    }

    @Test func cookies() {
        func identity(_ name: String, _ path: String) -> CookieIdentity {
            CookieIdentity(Cookie(name: name, value: "1", domain: "example.com", isHostOnly: true, path: path))
        }
        let (one, other) = (Self.composed, Self.decomposed)
        let all = [identity(one, "/"), identity(other, "/"), identity(one, "/\(one)"), identity(one, "/\(other)")]
        #expect(Set(all).count == 4)
        #expect(identity(one, "/") == identity(one, "/"))
    }
}
