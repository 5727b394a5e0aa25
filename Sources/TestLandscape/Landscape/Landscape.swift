public import Foundation

/// A running landscape: several loopback origins with all kinds of servers behind them.
///
/// ```swift
/// try await withLandscape { landscape in
///     let url = landscape.url(.main, "/basic/realm1/page")   // alice / wonderland
///     …
///     #expect(landscape.count(path: "/basic/realm1/page") == 2)
/// }
/// ```
/// All origins listen on 127.0.0.1 only, on free ports unless ``LandscapeConfiguration/basePort`` is set.
public final class Landscape: Sendable {
    let shared: SharedState
    private let servers: [OriginServer]
    private let multiplexedServer: MultiplexedServer
    private let listeners: [ByteListener]

    private init(
        shared: SharedState, servers: [OriginServer], multiplexedServer: MultiplexedServer, listeners: [ByteListener]
    ) {
        self.shared = shared
        self.servers = servers
        self.multiplexedServer = multiplexedServer
        self.listeners = listeners
    }

    /// Starts all origins and returns when they listen.
    public static func start(
        _ configuration: LandscapeConfiguration = .init()
    ) async throws(LandscapeError) -> Landscape {
        let shared = try configuration.makeState()
        let responder = Responder(shared: shared)
        var servers: [OriginServer] = []
        do {
            for origin in LandscapeOrigin.allCases where origin.isWebServer {
                servers.append(try await OriginServer.start(origin, shared: shared, responder: responder))
            }
            let multiplexedServer = try await MultiplexedServer.start(shared: shared)
            let listeners =
                [try await shared.service(RawOrigin.self).listen(shared)]
                + (try await shared.service(ProxyServer.self).listen(shared))
            return Landscape(
                shared: shared, servers: servers, multiplexedServer: multiplexedServer, listeners: listeners)
        } catch {
            await Self.stop(shared: shared, servers: servers)
            if let error = error as? LandscapeError { throw error }
            throw LandscapeError(.bindFailed, "an origin could not listen on 127.0.0.1", cause: error)
        }
    }

    /// Stops all origins: requests in progress have a moment to finish, then everything is closed.
    ///
    /// Takes less than a second; stopping again does nothing.
    public func stop() async {
        await multiplexedServer.stop()
        await Self.stop(shared: shared, servers: servers)
        for listener in listeners { await listener.stop() }
    }

    private static func stop(shared: SharedState, servers: [OriginServer]) async {
        shared.gates.stop()
        shared.recorder.stop()
        await withTaskGroup { group in
            for server in servers { group.addTask { await server.beginStopping() } }
            let deadline = ContinuousClock.now + .milliseconds(200)
            while !shared.connections.all.isEmpty, ContinuousClock.now < deadline {
                // A grace period. It is polled so that it can end early, and no test synchronises by it.
                try? await Task.sleep(for: .milliseconds(5))
            }
            for connection in shared.connections.all { await connection.abort() }
        }
        for server in servers { await server.finishStopping() }
    }

    // MARK: Addresses

    /// The absolute URL of a path, which may have a query, on an origin.
    public func urlString(_ origin: LandscapeOrigin = .main, _ path: String = "/") -> String {
        shared.addresses.base(of: origin) + path
    }

    /// The absolute URL of a path; an unusable path is percent-encoded.
    public func url(_ origin: LandscapeOrigin = .main, _ path: String = "/") -> URL {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? "/"
        return URL(string: urlString(origin, path)) ?? URL(string: urlString(origin, encoded))
            ?? URL(filePath: "/dev/null")
    }

    /// The port an origin listens on.
    public func port(_ origin: LandscapeOrigin = .main) -> Int {
        shared.addresses.port(of: origin)
    }

    /// The certificates of the https origins, and the authority to trust.
    public var certificates: LandscapeCertificates { shared.certificates }

    /// The token of the admin API, sent as `X-Landscape-Token`.
    public var adminToken: String { shared.adminToken }

    /// The clock for the expiry of nonces and sessions.
    public var clock: LandscapeClock { shared.clock }

    /// The origin that answers with scripted bytes.
    package var raw: RawOrigin { shared.service() }

    /// Origins, users and endpoints as a text for people.
    public var tableOfContents: String { TableOfContents(shared: shared).text }
}

/// Starts a landscape, runs the body with it, and always stops it.
public func withLandscape<Result>(
    _ configuration: LandscapeConfiguration = .init(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Landscape) async throws -> Result
) async throws -> Result {
    let landscape = try await Landscape.start(configuration)
    do {
        let result = try await body(landscape)
        await landscape.stop()
        return result
    } catch {
        await landscape.stop()
        throw error
    }
}
