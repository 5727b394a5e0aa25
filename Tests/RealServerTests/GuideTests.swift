import Foundation
import HttpC
import Testing

extension RealServerTests {
    /// The code of the README and the guides, compiled and run.
    @Suite(.serialized) struct Guides {
        struct APIKey: RequestFilter {
            let key: String
            let origin: Origin
            let name: HTTPField.Name

            func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
                guard request.target.origin == origin else { return }
                request.headerFields[name] = key
            }
        }

        struct SessionRenewal: ResponseFilter {
            private enum HasTried: ConversationContextKey { typealias Value = Bool }

            func inspect(
                _ response: ReceivedResponse, in context: ConversationContext
            ) async throws -> ResponseVerdict {
                guard response.status == .ok, context[HasTried.self] != true else { return .proceed }
                let start = String(decoding: try await response.peek(upTo: 256), as: UTF8.self)
                guard start.contains("hello") else { return .proceed }
                context[HasTried.self] = true
                return .restart(reason: "the session had expired")
            }
        }

        @Test("README: a login in ten lines")
        func readme() async throws {
            let apache = try await RealServers.shared.server(.apache)
            var login = CommonAuthenticationConfigurator()
            login.add(StaticCredentialProvider(username: "alice", password: TestUsers.alice.password))

            let manager = HttpConversationManager()
            manager.update { $0.apply(login) }

            let response = try await manager.data(for: HTTPRequest(.get, apache.url("/digest/readme")))
            #expect(response.text == Fixture.hello)
            #expect(response.attempts.map(\.status) == [401, 200])
        }

        @Test("Getting started: errors, downloads, streams, handles")
        func gettingStarted() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let manager = HttpConversationManager()
            do {
                _ = try await manager.data(for: HTTPRequest(.get, "ftp://127.0.0.1/"))
                Issue.record("ftp was not refused")
            } catch {
                #expect(error.code == .unsupportedScheme)
            }
            let file = try await RealServers.shared.directory().file("download")
            _ = try await manager.download(for: HTTPRequest(.get, apache.url("/compressed/long.txt")), to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == Fixture.long)

            let stream = try await manager.bytes(for: HTTPRequest(.get, apache.url("/open/stream")))
            var count = 0
            for try await chunk in stream.body { count += chunk.count }
            #expect(count == Fixture.hello.utf8.count)

            let conversation = try manager.start(HTTPRequest(.get, apache.url("/open/handle")))
            var kinds: [String] = []
            for await event in conversation.events { kinds.append(event.kind.name) }
            #expect(try await conversation.value.text == Fixture.hello)
            #expect(kinds.first == "conversationStarted")
        }

        @Test("Writing a filter: a key for one origin, a restart")
        func filters() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let manager = HttpConversationManager()
            let name = try #require(HTTPField.Name("X-API-Key"))
            let origin = try TargetURL(apache.url("/")).origin
            manager.update { configuration in
                configuration.requestFilters.add(APIKey(key: "k-1", origin: origin, name: name))
                configuration.responseFilters.add(SessionRenewal())
            }
            let (first, second) = (
                "/open/\(UInt64.random(in: 0...UInt64.max))", "/open/\(UInt64.random(in: 0...UInt64.max))"
            )
            _ = try await manager.data(for: HTTPRequest(.get, apache.url(first)))
            _ = try await manager.data(for: HTTPRequest(.get, apache.url(second, .second)))
            #expect(try apache.received(first).map { $0.field("X-API-Key") } == ["k-1", "k-1"])
            #expect(try apache.received(second).map { $0.field("X-API-Key") } == [nil, nil])
        }
    }
}
