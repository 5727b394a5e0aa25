import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    @Suite(.serialized) struct Login {
        struct Place: Sendable, CustomTestStringConvertible {
            let server: ServerKind
            let path: String
            let user: TestUsers.User
            var port = RealServer.Port.plain
            /// The number of failed logins that the server sees for a wrong password. Two if the server does not name
            /// the encoding and the encodings differ, because both are tried.
            var failures = 1
            var testDescription: String { "\(server.rawValue) \(path) \(user.name)" }
        }

        static let places = [
            Place(server: .apache, path: "/basic/", user: TestUsers.alice),
            Place(server: .apache, path: "/basic/", user: TestUsers.zolw),
            Place(server: .apache, path: "/basic/", user: TestUsers.alice, port: .third),
            Place(server: .apache, path: "/basic/", user: TestUsers.juergen, failures: 2),
            Place(server: .apache, path: "/basic-latin1/", user: TestUsers.juergen, failures: 2),
            Place(server: .apache, path: "/basic-quotes/", user: TestUsers.alice),
            Place(server: .apache, path: "/digest/", user: TestUsers.alice),
            Place(server: .apache, path: "/digest/", user: TestUsers.zolw),
            Place(server: .apache, path: "/digest-domain/", user: TestUsers.alice),
            Place(server: .nginx, path: "/basic/", user: TestUsers.alice),
            Place(server: .nginx, path: "/basic/", user: TestUsers.zolw),
            Place(server: .nginx, path: "/basic/", user: TestUsers.alice, port: .second),
            Place(server: .nginx, path: "/basic-utf8/", user: TestUsers.juergen),
            Place(server: .lighttpd, path: "/sha256/", user: TestUsers.alice),
            Place(server: .lighttpd, path: "/sha256/", user: TestUsers.zolw),
            Place(server: .lighttpd, path: "/sha256/", user: TestUsers.juergen),
            Place(server: .lighttpd, path: "/md5/", user: TestUsers.juergen),
            Place(server: .lighttpd, path: "/both/", user: TestUsers.alice),
            Place(server: .lighttpd, path: "/basic/", user: TestUsers.juergen),
        ]

        @Test("The right password gets the resource", arguments: places, Client.allCases)
        func rightPassword(_ place: Place, _ client: Client) async throws {
            let server = try await RealServers.shared.server(place.server)
            let answer = try await client.get(server.url(place.path + "hello.txt", place.port), as: place.user)
            #expect(answer.isSuccess)
            #expect(answer.text == Fixture.hello)
        }

        @Test(
            "A wrong password fails once, is not tried again, and gives exit code 22", arguments: places,
            Client.allCases)
        func wrongPassword(_ place: Place, _ client: Client) async throws {
            let server = try await RealServers.shared.server(place.server)
            let marker = "?\(UInt64.random(in: 0...UInt64.max))"
            let path = place.path + "hello.txt" + marker
            let wrong = TestUsers.User(name: place.user.name, password: "wrong")
            let answer = try await client.get(server.url(path, place.port), as: wrong)
            #expect(!answer.isSuccess)
            #expect(answer.text != Fixture.hello)
            // The log may be written late. It is complete when it has a later request.
            try await client.flushLog(of: server)
            #expect(try server.received(path).count { $0.carriesCredentials } == place.failures)
        }

        @Test("The stronger of two Digest challenges is answered")
        func strongestDigest() async throws {
            let server = try await RealServers.shared.server(.lighttpd)
            let before = try server.received("/both/hello.txt").count
            let response = try await Library.manager(TestUsers.alice).data(
                for: HTTPRequest(.get, server.url("/both/hello.txt")))
            #expect(response.status == .ok)
            let requests = try await server.received("/both/hello.txt", atLeast: before + 2)
            let credentials = try #require(requests.last?.field("Authorization"))
            #expect(credentials.contains("algorithm=SHA-256"))
        }

        @Test("Once logged in, credentials go ahead: one request instead of two", arguments: ["/basic/", "/digest/"])
        func preemptive(_ folder: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let provider = CountingProvider(TestUsers.alice)
            let manager = try await Library.manager(provider: provider)
            let second = "\(folder)\(UInt64.random(in: 0...UInt64.max))"
            _ = try await manager.data(for: HTTPRequest(.get, server.url(folder + "first")))
            let response = try await manager.data(for: HTTPRequest(.get, server.url(second)))
            #expect(response.status == .ok)
            let requests = try server.received(second)
            #expect(requests.count == 1)
            #expect(requests.first?.carriesCredentials == true)
            #expect(provider.timesAsked == 1)
        }

        @Test("A realm with quotes reaches the provider as the server means it")
        func quotedRealm() async throws {
            let server = try await RealServers.shared.server(.apache)
            let manager = try await Library.manager()
            let handle = try manager.start(HTTPRequest(.get, server.url("/basic-quotes/hello.txt")))
            let response = try await handle.value
            #expect(response.status == .unauthorized)
            var realms: [String] = []
            for await event in handle.events {
                if case .challengeReceived(let challenge) = event.kind { realms.append(challenge.space.realm) }
            }
            #expect(realms.first == "The \"inner\" circle")
        }
    }
}

extension Client {
    /// Returns when the server's log has all requests that were answered before.
    func flushLog(of server: RealServer) async throws {
        let path = "/open/hello.txt"
        let count = try server.received(path).count
        _ = try await Program.run("/usr/bin/curl", ["-s", "--noproxy", "*", "-o", "/dev/null", server.url(path)])
        _ = try await server.received(path, atLeast: count + 1)
    }
}
