import Foundation
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConversationNIO

/// The contexts of client certificates are bounded, and those in use stay.
@Suite(.timeLimit(.minutes(1))) struct TLSContextCacheTests {
    private static func key(_ origin: Origin, _ source: ClientIdentitySource) -> PoolKey {
        PoolKey(origin: origin, protocols: .http1, identity: source)
    }

    private static func sources() -> [ClientIdentitySource] {
        (0..<TLSContextCache.maximumSources).map { _ in ClientIdentitySource { nil } }
    }

    @Test func theLeastRecentlyUsedIsEvicted() async throws {
        let origin = try Origin(scheme: .https, host: "localhost", port: 1)
        var settings = NIOTransport.TLSSettings()
        settings.trustRoots = .pem(try TestAuthority().pem)
        let cache = TLSContextCache(settings)
        let keys = Self.sources().map { Self.key(origin, $0) }
        for key in keys { try await cache.prepare(for: key) }
        let first = try #require(cache.ready(for: keys[0])).context
        let another = Self.key(origin, ClientIdentitySource { nil })
        try await cache.prepare(for: another)
        #expect(cache.ready(for: keys[0])?.context === first)
        #expect(cache.ready(for: keys[1]) == nil)
        #expect(cache.ready(for: keys[2]) != nil && cache.ready(for: another) != nil)
        // The plain one is never evicted.
        let plain = PoolKey(origin: origin, protocols: .http1)
        try await cache.prepare(for: plain)
        for source in Self.sources() { try await cache.prepare(for: Self.key(origin, source)) }
        #expect(cache.ready(for: plain) != nil && cache.ready(for: keys[0]) == nil)
    }

    /// A request over a connection of the pool makes no context, which this transport could not make any more.
    @Test func aKeptConnectionNeedsNoContext() async throws {
        let authority = try TestAuthority()
        let file = TemporaryPlace.unused("roots.pem")
        try Data(authority.pem).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server in
            let transport = NIOTransport.make { $0.tls.trustRoots = .file(file) }
            let url = "https://localhost:\(server.port)/"
            let source = ClientIdentitySource { nil }
            #expect(await transport.failure(.get, url) { $0.clientIdentity = source } == nil)
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            for source in Self.sources() { try await transport.tls.prepare(for: Self.key(origin, source)) }
            try FileManager.default.removeItem(at: file)
            #expect(await transport.failure(.get, url) { $0.clientIdentity = source } == nil)
            #expect(server.connectionCount == 1)
            let other = await transport.failure(.get, url) { $0.clientIdentity = ClientIdentitySource { nil } }
            #expect(other?.code == .trustRootsUnusable)
            await transport.shutdown()
        }
    }
}
