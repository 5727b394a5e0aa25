import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Modifying requests that a server without a session redirects to a login.
@Suite("Redirects of modifying requests to a login", .timeLimit(.minutes(1)))
struct LoginDetourTests {
    private static let page = "https://sp.example.com/orders?list=1"
    private static let named = "https%3A%2F%2Fsp.example.com%2Forders%3Flist%3D1"

    /// The end of a login: a redirect to the identity provider, or its page.
    private struct Login: RedirectFilter, ResponseFilter {
        enum Key: Hashable { case login }

        func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
            redirect.location.contains("SAMLRequest=") ? .restart(reason: "logged in", after: step) : .follow
        }

        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            response.target.origin.host == "idp.example.net" ? .restart(reason: "logged in", after: step) : .proceed
        }

        private var step: ConversationStep<StepOutcome> {
            ConversationStep(Key.login, policy: .login) { context in
                context.session.handOver([
                    Cookie(name: "S", value: "1", domain: "sp.example.com", isHostOnly: true, path: "/", isSecure: true)
                ])
            }
        }
    }

    /// A server that redirects requests without a session, and login pages that redirect to `next`.
    private static func transport(_ status: Int, to location: String, then next: String?) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            if request.target.origin.host == "idp.example.net" { return .init(.ok, body: "your password?") }
            if request.target.path != "/orders" {
                return next.map { .init(.found, [.location: $0]) } ?? .init(.ok, body: "processed")
            }
            let hasSession = request.headerFields[.cookie]?.contains("S=1") == true
            return hasSession ? .init(.ok, body: "ordered") : .init(.init(code: status), [.location: location])
        }
    }

    private static func manager(_ transport: ScriptedTransport) -> HttpConversationManager {
        return testManager(transport) { $0.add(Login()) }
    }

    /// Redirects of real servers to a login.
    static let ways: [(name: String, location: String, next: String?)] = [
        ("mod_auth_mellon", "/mellon/login?ReturnTo=\(named)&IdP=x", "https://idp.example.net/sso?SAMLRequest=1"),
        (
            "a path to return to", "/login?next=/orders%3Flist=1",
            "https://idp.example.net/sso?SAMLRequest=1&RelayState=7"
        ),
        (
            "behind a proxy that ends TLS", "/login?url=http%3A%2F%2Fsp.example.com%2Forders%3Flist%3D1",
            "https://idp.example.net/sso?SAMLRequest=1&RelayState=\(named)"
        ),
        (
            "mod_auth_openidc",
            "https://idp.example.net/authorize?response_type=code&client_id=c&state=s&redirect_uri=https%3A%2F%2Fsp.example.com%2Fback",
            nil
        ),
        ("WS-Federation", "https://idp.example.net/fs?wa=wsignin1.0&wtrealm=urn%3Ax", nil),
        ("the Redirect binding", "https://idp.example.net/sso?SAMLRequest=1", nil),
    ]

    @Test("are recognised, whatever the method", arguments: ["GET", "POST"])
    func loginsAreRecognised(_ method: String) throws {
        let method = try HTTPRequest.Method(checking: method)
        for way in Self.ways {
            #expect(try Redirect.testing(to: way.location, from: Self.page, method: method).leadsToLogin, "\(way.name)")
        }
        for location in ["/receipt", "/receipt?id=7&next=/home", "https://other.example.com/", "http://[", ""] {
            #expect(try !Redirect.testing(to: location, from: Self.page, method: method).leadsToLogin, "\(location)")
        }
    }

    @Test(
        "are sent again after the login, whole and once", arguments: ["POST", "PUT", "PATCH", "DELETE"],
        [301, 302, 303, 307, 308])
    func requestsAreSentAgainAfterTheLogin(_ method: String, _ status: Int) async throws {
        for way in Self.ways {
            for body in [nil, "whole"] {
                let transport = Self.transport(status, to: way.location, then: way.next)
                let request = try HTTPRequest(try .init(checking: method), Self.page)
                let response = try await Self.manager(transport).data(for: request, body: body.map { .text($0) })
                #expect(response.text == "ordered", "\(way.name)")
                let orders = transport.requests.filter { $0.target.path == "/orders" }
                #expect(orders.map(\.method.rawValue) == [method, method], "\(way.name)")
                #expect(orders.map { $0.body != nil } == [body != nil, body != nil])
            }
        }
    }

    /// Redirects that a server also sends after it has processed the request.
    static let answers: [(location: String, next: String?)] = [
        ("/receipt", "https://idp.example.net/sso?SAMLRequest=1"),
        ("/receipt?id=7&next=/home", "https://idp.example.net/sso?SAMLRequest=1"),
        (
            "/receipt?next=https%3A%2F%2Fother.example.com%2Forders%3Flist%3D1",
            "https://idp.example.net/sso?SAMLRequest=1"
        ),
        ("/receipt?next=/orders", "https://idp.example.net/sso?SAMLRequest=1"),
        // A receipt that is protected itself and has a way back: the login leads to the receipt.
        (
            "/receipt?back=/orders%3Flist=1",
            "https://idp.example.net/sso?SAMLRequest=1&RelayState=%2Freceipt%3Fback%3D%2Forders%253Flist%3D1"
        ),
        ("/receipt?back=/orders%3Flist=1", "/login?next=%2Freceipt%3Fback%3D%2Forders%253Flist%3D1"),
        // A receipt that has a way back and leads on to another page.
        ("/receipt?back=/orders%3Flist=1", "/elsewhere"),
    ]

    @Test("are never sent again where the redirect may be an answer", arguments: 0..<answers.count)
    func answeredRequestsAreNotSentAgain(_ index: Int) async throws {
        let (location, next) = Self.answers[index]
        let transport = ScriptedTransport { request, _ in
            switch request.target.path {
            case "/orders": .init(.seeOther, [.location: location])
            case "/receipt": .init(.found, [.location: next ?? "/"])
            default: .init(.found, [.location: "https://idp.example.net/sso?SAMLRequest=1"])
            }
        }
        let error = await #expect(throws: ConversationError.self) {
            _ = try await Self.manager(transport).data(for: HTTPRequest(.post, Self.page), body: .text("once"))
        }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.message.contains("Send a GET to the same service first") == true, "\(String(describing: error))")
        #expect(transport.requests.count { $0.method == .post } == 1)
        #expect(transport.requests.count { $0.target.path == "/receipt" } == 2)
    }

    @Test("fail without a question if the body is used up")
    func usedUpBodiesFail() async throws {
        let transport = Self.transport(303, to: Self.ways[0].location, then: Self.ways[0].next)
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("once".utf8))
            continuation.finish()
        }
        let body = RequestBody.oneShot(length: 4, chunks)
        let error = await #expect(throws: ConversationError.self) {
            _ = try await Self.manager(transport).data(for: HTTPRequest(.post, Self.page), body: body)
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(transport.requests.count { $0.method == .post } == 1)
    }
}
