import Foundation
import HttpC
import HttpConversationTesting
import Testing

extension RealServerTests {
    @Suite(.serialized) struct Redirects {
        static let canaries = [
            "Authorization: Bearer canary-authorization", "Cookie: session=canary-cookie", "X-API-Key: canary-key",
        ]

        /// nginx sends the client to Apache, or Apache to nginx.
        @Test(
            "A 307 and a 308 carry an upload whole to the other origin, and nothing secret",
            arguments: [(307, ServerKind.nginx), (308, .nginx), (307, .apache), (308, .apache)], Client.allCases)
        func upload(_ hop: (status: Int, from: ServerKind), _ client: Client) async throws {
            let (apache, nginx) = try await pair()
            let (source, target) = hop.from == .nginx ? (nginx, apache) : (apache, nginx)
            let name = "upload-\(UInt64.random(in: 0...UInt64.max))"
            let path = "/dav/\(name)"
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ ($0 >> 8)) }
            let file = try await RealServers.shared.directory().file("body", bytes)
            let first = source.redirect(hop.status, to: target.url(path))
            let answer = try await client.send(first, method: "PUT", file: file, headers: Self.canaries)
            #expect(answer.isSuccess)
            #expect(try target.uploaded(name).elementsEqual(bytes))

            // The first origin got everything. The second one got the request without any of the secrets.
            let sent = try await source.received(try TargetURL(first).requestTarget, atLeast: 1)
            #expect(sent.first?.line.contains("canary-authorization") == true)
            #expect(sent.first?.line.contains("canary-cookie") == true)
            #expect(sent.first?.line.contains("canary-key") == true)
            let received = try await target.received(path, atLeast: 1)
            #expect(received.count == 1)
            #expect(received.first?.method == "PUT")
            #expect(received.allSatisfy { !$0.line.contains("canary") })
        }

        @Test("A redirected form post arrives as a GET without a body", arguments: [301, 302, 303], Client.allCases)
        func postBecomesGet(_ status: Int, _ client: Client) async throws {
            let (apache, nginx) = try await pair()
            let path = "/sink/\(UInt64.random(in: 0...UInt64.max))"
            let file = try await RealServers.shared.directory().file("body", Array("a=b".utf8))
            let answer = try await client.send(
                nginx.redirect(status, to: apache.url(path)), method: "POST", file: file,
                headers: ["Content-Type: application/x-www-form-urlencoded"])
            // On the command line, `-X POST` forces the method on every hop, as with curl.
            if client == .library {
                let arrived = try Arrived(answer.text)
                #expect(arrived.method == "GET")
                #expect(arrived.length == 0)
                #expect(arrived.type == nil)
            }
            #expect(answer.isSuccess)
            #expect(try apache.received(path).count == 1)
        }

        @Test("http, then https, then 401: the login happens at the hop that asked", arguments: Client.allCases)
        func upgradeThenLogin(_ client: Client) async throws {
            let (apache, _) = try await pair()
            let path = "/basic/\(UInt64.random(in: 0...UInt64.max))"
            let first = apache.redirect(302, to: apache.url(path, .third))
            let answer = try await client.get(first, as: TestUsers.alice)
            #expect(answer.text == Fixture.hello)
            #expect(try apache.received(try TargetURL(first).requestTarget).map(\.carriesCredentials) == [false])
            #expect(try apache.received(path).map(\.carriesCredentials) == [false, true])
        }

        @Test(
            "Another origin asks: it gets the login, the first does not",
            arguments: ["/basic/", "/digest/", "/digest-short/"], Client.allCases)
        func crossOriginLogin(_ folder: String, _ client: Client) async throws {
            let (apache, nginx) = try await pair()
            let path = "\(folder)\(UInt64.random(in: 0...UInt64.max))"
            let first = nginx.redirect(302, to: apache.url(path))
            let answer = try await client.get(first, as: TestUsers.alice, options: ["--location-trusted"])
            #expect(answer.isSuccess)
            let asked = try await nginx.received(try TargetURL(first).requestTarget, atLeast: 1)
            #expect(asked.map(\.carriesCredentials) == [false])
            #expect(try apache.received(path).map(\.carriesCredentials) == [false, true])
        }

        @Test("The password of -u is only for the origin that the person named")
        func commandLineLogin() async throws {
            let (apache, nginx) = try await pair()
            let path = "/basic/\(UInt64.random(in: 0...UInt64.max))"
            let answer = try await Client.httpc.get(nginx.redirect(302, to: apache.url(path)), as: TestUsers.alice)
            #expect(!answer.isSuccess)
            #expect(try apache.received(path).map(\.carriesCredentials) == [false])
        }

        @Test("Credentials of one origin do not follow a redirect to another")
        func credentialsStay() async throws {
            let (apache, nginx) = try await pair()
            let manager = try await Library.manager(TestUsers.alice)
            _ = try await manager.data(for: HTTPRequest(.get, nginx.url("/basic/hello.txt")))
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            let response = try await manager.data(
                for: HTTPRequest(.get, nginx.redirect(307, to: apache.url(path))))
            #expect(response.status == .ok)
            #expect(try apache.received(path).map(\.carriesCredentials) == [false])
        }

        @Test(
            "POST, 303, 401: the login does not post again", arguments: [ServerKind.apache, .nginx])
        func postsOnce(_ kind: ServerKind) async throws {
            let (apache, nginx) = try await pair()
            let source = kind == .apache ? apache : nginx
            let path = "/basic/\(UInt64.random(in: 0...UInt64.max))"
            let first = source.redirect(303, to: apache.url(path, .second))
            let manager = try await Library.manager(TestUsers.alice)
            let response = try await manager.data(for: HTTPRequest(.post, first), body: .text("a=b"))
            #expect(response.text == Fixture.hello)
            let posts = try await source.received(try TargetURL(first).requestTarget, atLeast: 1)
            #expect(posts.map(\.method) == ["POST"])
            #expect(try apache.received(path).map(\.method) == ["GET", "GET"])
        }

        @Test("https does not lead to http")
        func downgrade() async throws {
            let (apache, _) = try await pair()
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            let first = apache.redirect(302, to: apache.url(path), .third)
            let code = await failureCode { try await Library.manager().data(for: HTTPRequest(.get, first)) }
            #expect(code == .redirectRefused)
            #expect(try apache.received(path).isEmpty)
            // The server really sent the redirect.
            #expect(try apache.received(try TargetURL(first).requestTarget).count == 1)
        }

        private func pair() async throws -> (apache: RealServer, nginx: RealServer) {
            (try await RealServers.shared.server(.apache), try await RealServers.shared.server(.nginx))
        }
    }
}
