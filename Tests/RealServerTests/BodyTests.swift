import Foundation
import HttpC
import HttpConversationNIO
import TestSupport
import Testing

extension RealServerTests {
    @Suite(.serialized) struct Bodies {
        private static let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 9)) }

        @Test(
            "A file goes whole through a 401",
            arguments: ["/basic-sink/", "/digest-sink/", "/digest-short-sink/"], Client.allCases)
        func fileThrough401(_ folder: String, _ client: Client) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let bytes = Self.bytes
            let file = try await RealServers.shared.directory().file("body", bytes)
            let url = apache.url("\(folder)\(UInt64.random(in: 0...UInt64.max))")
            let answer = try await client.send(url, method: "PUT", file: file, as: TestUsers.alice)
            let arrived = try Arrived(answer.text)
            #expect(arrived.length == bytes.count)
            #expect(arrived.sha256 == (try await Program.sha256(of: file)))
            #expect(arrived.user == "alice")
        }

        @Test("A PUT to WebDAV through a 401 leaves the file as it was", arguments: Client.allCases)
        func dav(_ client: Client) async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let bytes = Array(Self.bytes.prefix(700_000))
            let file = try await RealServers.shared.directory().file("body", bytes)
            let name = "put-\(UInt64.random(in: 0...UInt64.max))"
            let answer = try await client.send(
                nginx.url("/basic-dav/\(name)"), method: "PUT", file: file, as: TestUsers.alice)
            #expect(answer.isSuccess)
            #expect(try nginx.uploaded(name) == bytes)
        }

        @Test("A restartable stream is opened again for the login")
        func restartable() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let pieces = (0..<50).map { [UInt8](repeating: UInt8($0), count: 4096) }
            let body = RequestBody.stream(length: nil) { RequestBodyStream(Pieces(pieces)) }
            let response = try await Library.manager(TestUsers.alice).data(
                for: HTTPRequest(.post, apache.url("/digest-sink/stream")), body: body)
            #expect(try Arrived(response.text).length == 50 * 4096)
        }

        /// If the 401 comes before the first byte is read, the body goes once, with the login.
        @Test("A one-shot body that is read before the 401 ends in bodyNotReplayable with the challenge")
        func oneShotThrough401() async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let provider = CountingProvider(TestUsers.alice)
            // Without waiting for 100 Continue, the body is already being sent when the 401 comes.
            var transport = NIOTransport.Configuration()
            transport.continueTimeout = .zero
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(provider)
            var configuration = HttpConversationManager.Configuration()
            configuration.apply(configurator)
            let manager = HttpConversationManager(
                transport: NIOTransport(configuration: transport), configuration: configuration)
            let path = "/basic-dav/never-\(UInt64.random(in: 0...UInt64.max))"
            let body = RequestBody.oneShot(Pieces((0..<20).map { [UInt8](repeating: UInt8($0), count: 1000) }))
            let request = try HTTPRequest(.put, nginx.url(path))
            var failure: ConversationError?
            do throws(ConversationError) {
                #expect(try await manager.data(for: request, body: body).status == .created)
            } catch { failure = error }
            guard case .oneShot(let used) = body.kind else { throw SetupFailure("not a one-shot body") }
            #expect(used.isUsed)
            #expect(provider.timesAsked == (failure == nil ? 1 : 0))
            let requests = try await nginx.received(path, atLeast: failure == nil ? 2 : 1)
            #expect(requests.map(\.carriesCredentials) == (failure == nil ? [false, true] : [false]))
            guard let failure else { return }
            #expect(failure.code == .bodyNotReplayable)
            #expect(failure.challenge?.realm == "Uploads")
            #expect(failure.challenge?.method == .basic)
        }

        @Test("Compressed text arrives as it was", arguments: [ServerKind.apache, .nginx], Client.allCases)
        func compression(_ kind: ServerKind, _ client: Client) async throws {
            let server = try await RealServers.shared.server(kind)
            let url = server.url("/compressed/long.txt")
            // The server compresses if asked to.
            let plain = try await Program.run(
                "/usr/bin/curl", ["-s", "--noproxy", "*", "-H", "Accept-Encoding: gzip", "-o", "-", url])
            #expect(plain.output.starts(with: [0x1F, 0x8B]))
            switch client {
            case .library:
                let response = try await Library.manager().data(for: HTTPRequest(.get, url))
                #expect(response.text == Fixture.long)
            case .httpc:
                let outcome = try await Program.httpc(["-sS", "--compressed", url])
                #expect(outcome.text == Fixture.long)
            }
        }
    }
}

/// A sequence of prepared chunks.
struct Pieces: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>
        mutating func next() async -> [UInt8]? { rest.popFirst() }
    }

    let chunks: [[UInt8]]

    init(_ chunks: [[UInt8]]) { self.chunks = chunks }

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
}
