import Foundation
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

/// The areas of the IETF's http-state tests: the cookies that a response sets, and the field that the next request
/// carries.
@Suite("Cookies by the standard's rules") struct CookieStandardTests {
    private static let suffixes = PublicSuffixList(parsing: "org\ncom\n")
    private static let page = "http://home.shop.org:81/forms/page?1"

    private func sent(
        _ fields: [String], from source: String = page, to target: String = "http://home.shop.org:81/forms/next"
    ) throws -> String {
        let clock = TestClock(at: Date(timeIntervalSince1970: 1_300_000_000))
        let store = CookieStore(suffixes: Self.suffixes, clock: clock)
        store.store(setCookie: fields, from: try TargetURL(source))
        return store.cookies(for: try TargetURL(target))
            .map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    @Test(arguments: [
        ("  k  =  v w  ;x", "k=v w"), ("k==v", "k==v"), ("k=v=w", "k=v=w"), ("k=\"a b\"  ;", "k=\"a b\""),
        ("k=\"a;b\"", "k=\"a"), ("k=a, l=b", "k=a, l=b"), ("k=", "k="), ("=", ""), ("   ", ""), ("; l=b", ""),
        ("k l=v", "k l=v"), ("\"k=v", "\"k=v"), ("$Version=1; k=v", "$Version=1"), ("!#%&*@=v", "!#%&*@=v"),
        ("\u{6625}=\u{8282}\u{b7}", "\u{6625}=\u{8282}\u{b7}"),
        // A transport puts U+FFFD where bytes are not UTF-8: the cookie would go back with other bytes.
        ("k=\u{FFFD}", ""), ("k=v; l=\u{FFFD}", ""), ("k=\u{FF0C}", "k=\u{FF0C}"),
        // Cookies without a name follow today's browsers (RFC 6265bis §5.6), except that prefixes stay protected.
        ("v", "v"), ("=v", "v"), ("==v", "=v"), ("v; Path=/", "v"),
    ])
    func pairs(field: String, expected: String) throws { #expect(try sent([field]) == expected) }

    @Test func longPairsAndAttributesAreIgnored() throws {
        let most = String(repeating: "v", count: 4095)
        #expect(try sent(["k=\(most)"]) == "k=\(most)")
        #expect(try sent(["k=v\(most)"]) == "")
        #expect(try sent([most + "vv"]) == "")
        #expect(try sent(["k=v; Path=/\(String(repeating: "x", count: 1024))"]) == "k=v")
    }

    @Test(arguments: [
        ("Secure", ""), ("sEcUrE", ""), ("Secure=", ""), ("Secure=no", ""), ("Secure = x", ""), ("\"Secure\"", "k=v"),
        ("Secure no", "k=v"), ("unknown=\"a;Secure", ""), ("Path", "k=v"), ("Path=", "k=v"), ("Path=/other", ""),
        ("Path  =  /other  ", ""), ("Path=/other; Path=/", "k=v"), ("Path=/; Path=/other", ""),
        ("Path=/other; Path=", "k=v"), ("Path=\"/other\"", "k=v"), ("Path=/FORMS", ""), ("Path=/forms/", "k=v"),
        ("Path=/forms/next?", ""), ("Path=/form", ""), ("Path=/f%6Frms", ""), ("a,b=c", "k=v"), (";;; ;", "k=v"),
    ])
    func attributes(text: String, expected: String) throws { #expect(try sent(["k=v; \(text)"]) == expected) }

    @Test(arguments: [
        ("Max-Age=1", "k=v"), ("Max-Age=0", ""), ("Max-Age=-1", ""), ("Max-Age=1,000", "k=v"), ("Max-Age=2.5", "k=v"),
        ("Max-Age=x", "k=v"), ("Max-Age=\u{661}", "k=v"), ("Max-Age=0; Max-Age=9", "k=v"), ("Max-Age=9; Max-Age=0", ""),
        ("Max-Age=9; Expires=Thu, 10 Apr 1980 16:33:12 GMT", "k=v"),
        ("Expires=Thu, 10 Apr 1980 16:33:12 GMT; Max-Age=9", "k=v"),
        ("Max-Age=0; Expires=Sun, 18-Apr-2027 21:06:29 GMT", ""),
        ("Expires=Thu, 10 Apr 1980 16:33:12 GMT", ""), ("Expires=Sun, 18-Apr-2027 21:06:29 GMT", "k=v"),
        ("Expires=Fri 07 Aug 2019 08:04:19 GMT, l=w", "k=v"),
    ])
    func lifetimes(text: String, expected: String) throws { #expect(try sent(["k=v; \(text)"]) == expected) }

    /// RFC 6265 §5.1.1: seconds after 1970, or nil for an invalid date.
    @Test(arguments: [
        ("Mon, 10-Dec-2007 17:02:24 GMT", 1_197_306_144), ("Wednesday, 01-Jan-10 0:0:00", 1_262_304_000),
        ("Thu, 31 Dec 23:55:55 2037", 2_145_916_555), ("10 Apr 77 1:2:3", 229_482_123),
        ("Aug/1\\2010\"01:02:03\"GMT-0500 (EST)", 1_280_624_523), ("01:02:03 1 August 2010", 1_280_624_523),
        ("1 10 Aug 01:02:03", 1_280_624_523), ("Aug 1 01:02:03:04 2010", 1_280_624_523),
        ("Aug 1 01:02:03x 2010y", 1_280_624_523), ("1x-Augx-2010x ::1 1:2:3", 1_280_624_523),
        ("Aug 1 1x:02:03 2010", nil), ("Aug 1 2010", nil), ("Aug 1 24:00:00 2010", nil), ("Aug 1 00:61:00 2010", nil),
        ("Aug 012 00:00:00 2010", nil), ("Aug 1 00:00:00 20100", nil), ("Aug 1 00:00:00 1600", nil),
        ("31 Feb 2010 00:00:00", nil), ("Aug 1 00:00:000 2010", nil), ("Aug \u{661} 00:00:00 2010", nil),
        ("never", nil),
    ])
    func dates(text: String, seconds: Double?) { #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds) }

    @Test(arguments: [
        ("home.shop.org", "home.shop.org", true), (".home.shop.org", "home.shop.org", true),
        ("home.shop.org", "a.home.shop.org", true), ("home.shop.org", "other.shop.org", false),
        ("shop.org", "other.shop.org", true), ("  .shop.org ", "home.shop.org", true),
        ("HOME.Shop.org", "home.shop.org", true),
        ("..shop.org", "home.shop.org", false), (".  shop.org", "home.shop.org", false),
        ("home..shop.org", "home.shop.org", false), ("shop.org.", "home.shop.org", false),
        (".shop.org.", "home.shop.org", false), ("shop.org..", "home.shop.org", false),
        ("shop.org .", "home.shop.org", false), (".", "home.shop.org", false), (".org", "home.shop.org", false),
        (".org.", "home.shop.org", false), ("\"shop.org\"", "home.shop.org", false),
        ("home.shop.org:81", "home.shop.org", false), ("a.home.shop.org", "a.home.shop.org", false),
        ("other.shop.org", "other.shop.org", false), ("hop.org", "home.shop.org", false),
        ("other.org; Domain=shop.org", "home.shop.org", true), ("shop.org; Domain=other.org", "home.shop.org", false),
        ("shop.org; Domain=", "other.shop.org", true), ("other.shop.org; Domain=", "home.shop.org", false),
        ("", "home.shop.org", true), ("", "a.home.shop.org", false),
    ])
    func domains(attribute: String, host: String, isSent: Bool) throws {
        let text = try sent(["k=v; Domain=\(attribute)"], to: "http://\(host):81/forms/x")
        #expect(text == (isSent ? "k=v" : ""))
    }

    /// Longer paths come first, then the order of setting, for any domain.
    @Test(arguments: [
        (["a=1; Domain=shop.org", "b=2", "c=3; Domain=home.shop.org"], "a=1; b=2; c=3"),
        (["c=3; Domain=home.shop.org", "b=2", "a=1; Domain=shop.org"], "c=3; b=2; a=1"),
        (
            ["b=2; Path=/", "a=1; Domain=shop.org; Path=/", "c=3; Path=/forms; Domain=shop.org", "d=4; Path=/forms"],
            "c=3; d=4; b=2; a=1"
        ),
        (["a=1", "b=2", "a=3; Domain=shop.org", "a=4"], "a=4; b=2; a=3"),
        (["k=0; Path=/", "k=1; Path=/forms/next", "k=2; Path=/bar", "k=3; Domain=shop.org; Path=/"], "k=1; k=0; k=3"),
    ])
    func order(fields: [String], expected: String) throws { #expect(try sent(fields) == expected) }

    @Test func theOrderSurvivesASnapshot() throws {
        let clock = TestClock(at: Date(timeIntervalSince1970: 1_800_000_000))
        let store = CookieStore(suffixes: Self.suffixes, clock: clock)
        let fields = (0..<40).map { "k\($0)=v; Path=/; Domain=\($0 % 2 == 0 ? "shop.org" : "home.shop.org")" }
        store.store(setCookie: fields, from: try TargetURL(Self.page))
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let snapshot = try decoder.decode(CookieStore.Snapshot.self, from: try encoder.encode(store.snapshot))
        let names = CookieStore(snapshot, suffixes: Self.suffixes).cookies(for: try TargetURL(Self.page)).map(\.name)
        #expect(names == (0..<40).map { "k\($0)" })
        #expect(snapshot.cookies.map(\.name) == names)
    }
}
