import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    private typealias Answer = ScriptedTransport.Answer

    /// Answers the first request with a redirect and the rest with 200.
    private static func redirecting(_ status: Int, _ location: String) -> ScriptedTransport {
        ScriptedTransport { _, index in
            index == 0 ? Answer(.init(code: status), [.location: location]) : Answer(.ok, body: "there")
        }
    }

    /// RFC 9110 §15.4.
    @Test(arguments: [
        (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"), (302, "POST", "GET"),
        (302, "DELETE", "DELETE"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (303, "GET", "GET"),
        (307, "POST", "POST"), (307, "PUT", "PUT"), (308, "POST", "POST"), (308, "GET", "GET"),
    ])
    func methodsChangeAsTheStandardSays(status: Int, method: String, expected: String) async throws {
        let transport = Self.redirecting(status, "/next")
        var request = try HTTPRequest(try .init(checking: method), "http://h/x")
        request.headerFields[.contentType] = "text/plain"
        request.headerFields[.accept] = "a/b"
        let hasBody = ["POST", "PUT"].contains(method)
        _ = try await testManager(transport).data(for: request, body: hasBody ? .text("payload") : nil)
        let next = transport.requests[1]
        #expect(next.method.rawValue == expected)
        #expect(next.headerFields[.accept] == "a/b")
        let keepsBody = hasBody && expected == method
        #expect((next.body != nil) == keepsBody)
        #expect((next.headerFields[.contentType] != nil) == (expected == method))
        #expect(
            transport.bodies.map { String(decoding: $0, as: UTF8.self) } == (hasBody ? ["payload"] : [])
                + (keepsBody ? ["payload"] : []))
    }

    @Test(arguments: [300, 304, 305, 306, 399, 200])
    func otherStatusesAreFinal(status: Int) async throws {
        let transport = Self.redirecting(status, "/next")
        #expect(try await testManager(transport).data(for: HTTPRequest(.get, "http://h/")).status.code == status)
        #expect(transport.requests.count == 1)
    }

    @Test func aRedirectWithoutLocationIsFinal() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.found, body: "choose yourself") }
        let response = try await testManager(transport).data(for: HTTPRequest(.get, "http://h/"))
        #expect(response.status == .found)
        #expect(response.text == "choose yourself")
    }

    /// An empty reference is the page itself: following it would go round until the limit.
    @Test(arguments: [301, 302, 303, 307, 308], ["", " ", "\t"])
    func anEmptyLocationIsFinal(status: Int, location: String) async throws {
        let transport = ScriptedTransport { _, _ in
            Answer(.init(code: status), [.location: location], body: "choose yourself")
        }
        let response = try await testManager(transport).data(for: HTTPRequest(.get, "http://h/"))
        #expect(response.status.code == status)
        #expect(response.text == "choose yourself")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("ftp://h/x", "unsupportedScheme"), ("file:///etc/passwd", "unsupportedScheme"),
        ("javascript:alert(1)", "unsupportedScheme"),
        ("http://user:CANARY@other/", "invalidRedirect"), ("http://", "invalidRedirect"),
        ("http://a%2fb/", "invalidRedirect"),
        ("//h:99999/", "invalidRedirect"), ("http://h\\@evil/", "invalidRedirect"),
        ("http://h../", "invalidRedirect"), ("http://127.1/", "invalidRedirect"), ("//0x7f.1/", "invalidRedirect"),
        ("http://2130706433/", "invalidRedirect"), ("/caf\u{FFFD}?x", "invalidRedirect"),
    ])
    func unfitLocationsAreTypedErrors(location: String, code: String) async throws {
        let transport = Self.redirecting(302, location)
        let error = await #expect(throws: ConversationError.self) {
            try await testManager(transport).data(for: HTTPRequest(.get, "http://h/"))
        }
        #expect(error?.code.description == code)
        #expect(error.map { !"\($0)".contains("CANARY") } == true)
        #expect(error?.attempts.count == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func theSameLocationTwiceIsFollowed() async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.target.path == "/" else { return Answer(.ok) }
            var fields = HTTPFields()
            for _ in 0..<2 { fields.append(HTTPField(name: .location, value: "/a")) }
            return Answer(.found, fields)
        }
        #expect(try await testManager(transport).data(for: HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(transport.requests.map(\.target.path) == ["/", "/a"])
    }

    @Test func severalLocationsAreAnError() async throws {
        let transport = ScriptedTransport { _, _ in
            var fields = HTTPFields()
            fields.append(HTTPField(name: .location, value: "/a"))
            fields.append(HTTPField(name: .location, value: "/b"))
            return Answer(.found, fields)
        }
        let code = await failureCode { try await testManager(transport).data(for: HTTPRequest(.get, "http://h/")) }
        #expect(code == .invalidRedirect)
    }

    @Test func loopsEnd() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.found, [.location: "/again"]) }
        let code = await failureCode { try await testManager(transport).data(for: HTTPRequest(.get, "http://h/")) }
        #expect(code == .tooManyRedirects)
        #expect(transport.requests.count == 21)
    }

    @Test func httpsDoesNotLeadToHttpUnlessAllowed() async throws {
        let transport = Self.redirecting(302, "http://h/x")
        let code = await failureCode { try await testManager(transport).data(for: HTTPRequest(.get, "https://h/")) }
        #expect(code == .redirectRefused)
        let second = Self.redirecting(302, "http://h/x")
        let response = try await testManager(second) { $0.redirects.allowsDowngrade = true }
            .data(for: HTTPRequest(.get, "https://h/"))
        #expect(response.url.absoluteString == "http://h/x")
    }

    @Test func aWhitelistRefusesOrHandsOver() async throws {
        for refusal in [RedirectPolicy.Refusal.fail, .deliver] {
            let transport = Self.redirecting(302, "http://other/x")
            let manager = testManager(transport) {
                $0.redirects.allows = { $0.origin == $1.origin }
                $0.redirects.refusal = refusal
            }
            let request = try HTTPRequest(.get, "http://h/")
            if refusal == .deliver {
                #expect(try await manager.data(for: request).status == .found)
            } else {
                #expect(await failureCode { try await manager.data(for: request) } == .redirectRefused)
            }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func notFollowingHandsOverTheRedirect() async throws {
        let transport = Self.redirecting(302, "javascript:nonsense")
        let manager = testManager(transport) { $0.redirects.follows = false }
        #expect(
            try await manager.data(for: HTTPRequest(.get, "http://h/")).headerFields[.location] == "javascript:nonsense"
        )
    }

    @Test func theFragmentIsInherited() async throws {
        let transport = Self.redirecting(302, "/next")
        let target = try TargetURL("http://h/x#part")
        _ = target
        let response = try await testManager(transport).data(for: HTTPRequest(.get, "http://h/x"))
        #expect(response.url.absoluteString == "http://h/next")
        #expect(try target.resolving("/next").absoluteString == "http://h/next#part")
    }

    // MARK: Who gets what (S7, S8)

    /// The chain leaves the origin and comes back: dropped fields stay dropped.
    @Test func theCallersFieldsStayAtTheirOrigin() async throws {
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: Answer(.temporaryRedirect, [.location: "http://h/same"])
            case 1: Answer(.temporaryRedirect, [.location: "http://other/away"])
            case 2: Answer(.temporaryRedirect, [.location: "http://h/back"])
            default: Answer(.ok)
            }
        }
        var request = try HTTPRequest(.post, "http://h/x")
        request.headerFields = [
            .authorization: "Bearer CANARY", .cookie: "own=CANARY", .apiKey: "CANARY", .accept: "a/b", .userAgent: "me",
            .contentType: "text/plain", .range: "bytes=0-1", .ifNoneMatch: "\"e\"", .referer: "http://h/CANARY",
        ]
        _ = try await testManager(transport).data(for: request, body: .text("whole"))
        #expect(
            transport.requests.map(\.line) == [
                "POST http://h/x", "POST http://h/same", "POST http://other/away", "POST http://h/back",
            ])
        #expect(transport.bodies.map { String(decoding: $0, as: UTF8.self) } == Array(repeating: "whole", count: 4))
        for request in transport.requests.prefix(2) { #expect(request.headerFields[.apiKey] == "CANARY") }
        for request in transport.requests.suffix(2) {
            #expect(!request.headerFields.contains { $0.value.contains("CANARY") })
            for name in [HTTPField.Name.accept, .userAgent, .contentType, .range, .ifNoneMatch] {
                #expect(request.headerFields.contains(name), "\(name)")
            }
        }
    }

    @Test(arguments: ["http://h:81/", "https://h/", "http://sub.h/", "http://h.evil/"])
    func anotherPortSchemeOrHostIsAnotherOrigin(destination: String) async throws {
        let transport = Self.redirecting(302, destination)
        var request = try HTTPRequest(.get, "http://h/")
        request.headerFields[.authorization] = "Bearer CANARY"
        _ = try await testManager(transport).data(for: request)
        #expect(transport.requests.count == 2)
        #expect(transport.requests[1].authorization == nil)
    }

    @Test func trustedOriginsAreAnExplicitChoice() async throws {
        let transport = Self.redirecting(302, "http://trusted/")
        let manager = testManager(transport) {
            $0.credentials.trustedOrigins = (try? [Origin(scheme: .http, host: "trusted")]) ?? []
        }
        var request = try HTTPRequest(.get, "http://h/")
        request.headerFields[.apiKey] = "key"
        _ = try await manager.data(for: request)
        #expect(transport.requests[1].headerFields[.apiKey] == "key")
    }

    @Test func fieldsOfAuthorizeAreNotInherited() async throws {
        let transport = Self.redirecting(302, "http://other/")
        let manager = testManager(transport) {
            $0.requestFilters.add(
                TestFilter(onAuthorize: { request, _ in
                    if request.target.origin.host == "h" { request.headerFields[.apiKey] = "CANARY" }
                }))
        }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(transport.requests.map { $0.headerFields[.apiKey] } == ["CANARY", nil])
    }

    @Test func cookiesAreChosenForEveryHop() async throws {
        let transport = ScriptedTransport { _, index in
            index == 0
                ? Answer(.found, [.location: "http://other/", .setCookie: "set=on-the-way"])
                : Answer(.ok, [.setCookie: "late=1"])
        }
        let manager = testManager(transport)
        let cookies = manager.configuration.session.cookies
        cookies.store(setCookie: ["a=here"], from: try TargetURL("http://h/"))
        cookies.store(setCookie: ["b=there"], from: try TargetURL("http://other/"))
        var request = try HTTPRequest(.get, "http://h/")
        request.headerFields[.cookie] = "own=mine; a=overridden"
        _ = try await manager.data(for: request)
        #expect(transport.requests.map { $0.headerFields[.cookie] } == ["own=mine; a=overridden", "b=there"])
        #expect(cookies.cookies(for: try TargetURL("http://h/")).map(\.name).sorted() == ["a", "set"])
    }

    // MARK: Filters and restart points

    @Test func redirectFiltersComeFirst() async throws {
        for verdict in ["stop", "restart"] {
            let transport = ScriptedTransport { _, index in
                index == 0 ? Answer(.found, [.location: "com.example.app:/cb?code=x"]) : Answer(.ok)
            }
            let seen = Box<[String]>([])
            let manager = testManager(transport) {
                $0.redirectFilters.add(
                    TestFilter(onRedirect: { redirect, _ in
                        seen.update { $0.append(redirect.location) }
                        return verdict == "stop" ? .stop : .restart(reason: "login done")
                    }))
            }
            let response = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
            #expect(seen.value == ["com.example.app:/cb?code=x"])
            #expect(response.status == (verdict == "stop" ? .found : .ok))
            #expect(
                transport.requests.map(\.line) == Array(repeating: "GET http://h/x", count: verdict == "stop" ? 1 : 2))
        }
    }

    @Test func noPOSTIsSentTwice() async throws {
        let transport = ScriptedTransport { request, index in
            switch request.line {
            case "POST http://h/order": Answer(.seeOther, [.location: "/receipt"])
            default: Answer(.ok, body: "receipt \(index)")
            }
        }
        let restarts = Box(2)
        let manager = testManager(transport) {
            $0.responseFilters.add(
                TestFilter(onResponse: { _, _ in
                    restarts.update { $0 -= 1 }
                    return restarts.value >= 0 ? .restart(reason: "login") : .proceed
                }))
        }
        _ = try await manager.data(for: HTTPRequest(.post, "http://h/order"), body: .text("one book"))
        #expect(
            transport.requests.map(\.line) == ["POST http://h/order"]
                + Array(repeating: "GET http://h/receipt", count: 3))
    }

    /// A restart after an answered modifying request begins with the request to the redirect's destination.
    @Test(arguments: ["http://other/receipt", "http://h/receipt", "http://trusted/receipt"])
    func fieldsOfPrepareStayAtTheirOrigin(destination: String) async throws {
        let transport = ScriptedTransport { request, _ in
            request.method == .post ? Answer(.seeOther, [.location: destination]) : Answer(.ok)
        }
        let restarts = Box(1)
        let manager = testManager(transport) {
            $0.credentials.trustedOrigins = (try? [Origin(scheme: .http, host: "trusted")]) ?? []
            $0.requestFilters.add(
                TestFilter(onPrepare: { request, _ in
                    request.headerFields[.apiKey] = "CANARY"
                    request.headerFields[.accept] = "a/b"
                }))
            $0.responseFilters.add(
                TestFilter(onResponse: { _, _ in
                    restarts.update { $0 -= 1 }
                    return restarts.value >= 0 ? .restart(reason: "login") : .proceed
                }))
        }
        _ = try await manager.data(for: HTTPRequest(.post, "http://h/order"), body: .text("one book"))
        #expect(
            transport.requests.map(\.line) == ["POST http://h/order", "GET \(destination)", "GET \(destination)"])
        let key = destination.hasPrefix("http://other/") ? nil : "CANARY"
        #expect(transport.requests.map { $0.headerFields[.apiKey] } == ["CANARY", key, key])
        #expect(transport.requests.map { $0.headerFields[.accept] } == ["a/b", "a/b", "a/b"])
    }
}
