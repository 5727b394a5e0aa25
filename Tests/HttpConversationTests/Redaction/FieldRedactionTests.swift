import HTTPTypes
import HttpConversation
import Testing

/// Security rule S20, field by field: typical values of servers and clients.
@Suite struct FieldRedactionTests {
    private func shown(_ name: String, _ value: String) throws -> String {
        FieldRedaction.shownValue(of: HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }

    /// Values that a reader of a log needs.
    @Test(arguments: [
        ("Accept-Ranges", "bytes"), ("Access-Control-Allow-Origin", "*"), ("Allow", "GET, HEAD"),
        ("Alt-Svc", #"h3=":443"; ma=2592000"#), ("Cache-Control", "private, max-age=0"), ("CF-Ray", "8a1-FRA"),
        ("Content-Disposition", #"attachment; filename="a b.pdf""#),
        ("Content-Security-Policy", "default-src 'self' https://*.example.com; script-src 'sha256-abc='"),
        ("Content-Type", "multipart/form-data; boundary=----x"), ("Date", "Sun, 22 Nov 2026 13:26:31 GMT"),
        ("ETag", "W/\"1\""), ("Forwarded", "for=192.0.2.60;proto=http"), ("OData-Version", "4.0"),
        ("Origin", "https://www.example.com"), ("Permissions-Policy", "geolocation=()"), ("Prefer", "return=minimal"),
        ("RateLimit-Policy", "\"burst\";q=100;w=60"), ("Referrer-Policy", "no-referrer"), ("Retry-After", "120"),
        ("sap-client", "001"), ("Server-Timing", "db;dur=53"), ("Strict-Transport-Security", "max-age=31536000"),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), ("Via", "1.1 proxy"),
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"), ("X-CSRF-Token", "Fetch"), ("X-Frame-Options", "DENY"),
        ("X-RateLimit-Remaining", "4999"), ("X-Remote-User", "alice"), ("X-Request-ID", "6f9a-11"),
    ])
    func harmlessIsShown(name: String, value: String) throws { #expect(try shown(name, value) == value) }

    /// Secrets within harmless fields.
    @Test(arguments: [
        ("Link", "<https://h/a?page=2&cursor=CANARY>; rel=\"next\"", "<https://h/a?page=2&cursor=…>; rel=\"next\""),
        ("Link", "</a?sig=CANARY>; rel=preload, <com.example:/x?CANARY>", "</a?sig=…>; rel=preload, <<redacted>>"),
        ("Content-Security-Policy", "script-src 'nonce-CANARY' /r?t=CANARY", "script-src 'nonce-…' /r?t=…"),
        ("Refresh", "5; url=https://u:CANARY@h/p?x=CANARY#CANARY", "5; url=https://h/p?x=…#…"),
        ("Link", "</b;s=CANARY;t>; rel=next, <https://h/b;CANARY/x>", "</b;s=…;…>; rel=next, <https://h/b;…/x>"),
        ("Refresh", "0; url=/b;s=CANARY;CANARY", "0; url=/b;s=…;…"),
        ("Refresh", "0;URL='/p?x=CANARY'", "0;URL=<redacted>"),
        ("Refresh", "0; url=cb#access_token=CANARY", "0; url=<redacted>"),
        ("Refresh", "0; url=myapp:cb#access_token=CANARY", "0; url=<redacted>"),
        ("Refresh", "0; url=cb%3Fcode=CANARY", "0; url=<redacted>"),
        ("Refresh", "0; url=cb%3fcode=CANARY", "0; url=<redacted>"),
        ("Refresh", "0;url=u:CANARY@h", "0;url=<redacted>"),
        ("Link", "<#id_token=CANARY>, <com.app:/cb#code=CANARY>", "<<redacted>>, <<redacted>>"),
        ("Server-Timing", #"a;desc="user=CANARY \"CANARY";dur=1"#, #"a;desc="…";dur=1"#),
        ("Server-Timing", "a;desc=CANARY", "a;desc=…"), ("Server-Timing", #"a;desc="CANARY"#, #"a;desc="…"#),
        ("Alt-Svc", #"h2="alt:443?token=CANARY""#, #"h2="<redacted>""#),
        ("Content-Disposition", "inline; session_token=CANARY", "inline; session_token=…"),
        ("Server", "x eyJhbGciOiJub25lIn0.CANARY.", "x …"), ("X-Request-ID", "a=eyJh.CANARY", "a=…"),
        ("Cache-Status", "c; key=\"https://h/?CANARY\"", "c; key=\"…\""),
        ("NEL", "{\"t\":\"/r?CANARY\"}", "{\"t\":\"/r?…\"}"),
        ("Location", "/app;jsessionid=CANARY/x;CANARY?y", "/app;jsessionid=…/x;…?…"),
        ("Location", "https://h/go/https%3A%2F%2Fi%2F%3Fcode%3DCANARY/x", "https://h/go/https%3A%2F%2Fi%2F…/x"),
        ("Location", "https://h/token=CANARY/eyJh.CANARY/?page=eyJh.CANARY", "https://h/token=…/…/?page=…"),
        ("Location", "https://h/Products(ID=1)?$top=5&$filter=CANARY", "https://h/Products(ID=1)?$top=5&$filter=…"),
        ("Referer", "https://h/?\(String(repeating: "CANARY", count: 20))=1", "https://h/?…=…"),
        // A combining mark joins the character before it (security rule S6).
        ("Link", "<https://\u{338}u:CANARY@h/x>", "<https://h/x>"),
        ("Server-Timing", "a;token\u{338}x=CANARY", "a;token\u{338}x=…"),
        ("Location", "/eyJ\u{338}.CANARY", "/…"),
        ("Authorization", "CANARY", "<redacted>"), ("Authorization", "CANARY CANARY", "<redacted>"),
        ("Proxy-Authorization", "Digest username=\"CANARY\"", "Digest <redacted>"),
        (
            "WWW-Authenticate", #"Bearer realm="r", error="invalid_token", error_description="CANARY", scope="CANARY""#,
            #"Bearer realm="r", error="invalid_token""#
        ),
        (
            "WWW-Authenticate", #"Digest realm="r", qop="auth", algorithm=SHA-256, nonce="CANARY", opaque="CANARY""#,
            #"Digest realm="r", qop="auth", algorithm=SHA-256"#
        ),
        ("WWW-Authenticate", #"Basic realm="CANARY", realm="CANARY", qop=CANARY"#, #"Basic realm="CANARY""#),
        ("WWW-Authenticate", #"Bearer error="CANARY""#, "Bearer"),
        (
            "Set-Cookie", "s=CANARY; Secure; x=CANARY; Path=/a?CANARY; HttpOnly",
            "s=<redacted>; Secure; Path=/a?…; HttpOnly"
        ),
        ("Set-Cookie", "CANARY", "<redacted>"), ("Set-Cookie", "CANARY; Secure", "<redacted>; Secure"),
    ])
    func secretsInFieldsAreRedacted(name: String, value: String, expected: String) throws {
        let shown = try shown(name, value)
        #expect(shown == expected)
    }

    /// The value as sent; nothing in it ends the quotes or acts on a terminal (security rule S21).
    @Test(arguments: [
        (#"Basic realm=r, charset="UTF-8""#, #"Basic realm=r, charset="UTF-8""#),
        (#"Digest qop="auth",Realm = "a""#, #"Digest Realm = "a", qop="auth""#),
        (#"Basic realm="a \"quoted\" \\ realm""#, #"Basic realm="a \"quoted\" \\ realm""#),
        (#"Basic realm="\a""#, #"Basic realm="\a""#),
        ("Basic realm=\"\u{9B}2J\u{202E}\"", #"Basic realm="\u{9b}2J\u{202e}""#),
        ("Basic realm=\"a\\\u{85}\"", #"Basic realm="a\\u{85}""#),
        (
            "Basic realm=\"\(String(repeating: "x", count: 100))\"",
            "Basic realm=\"\(String(repeating: "x", count: 63))…\""
        ),
    ])
    func challengesAreShownAsSent(value: String, expected: String) throws {
        #expect(try shown("WWW-Authenticate", value) == expected)
        #expect(try shown("Proxy-Authenticate", value) == expected)
    }

    /// Unknown fields, and fields that prove or open something, show their length alone.
    @Test(arguments: [
        "X-API-Key", "X-Auth-Token", "Content-Digest", "Content-MD5", "DPoP", "Last-Event-ID", "Lock-Token", "If",
        "Replay-Nonce", "Authentication-Info", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "Signature",
        "Signature-Input", "Tracestate", "X-CSRF-Token", "X-SMP-APPCID", "X-Unheard-Of", "Baggage", "Cookie2",
    ])
    func othersShowTheirLength(name: String) throws {
        #expect(try shown(name, "CANARY-12") == "<redacted, 9 bytes>")
        #expect(try shown(name, "") == "")
    }

    /// Security rule S24.
    @Test func longValuesAreCut() throws {
        let value = try shown("Link", String(repeating: "<https://h/?a=CANARY>, ", count: 100_000))
        #expect(value.count <= 201 && !value.contains("CANARY"))
        #expect(try shown("Server", String(repeating: "token=\"", count: 100_000)).count <= 201)
    }
}
