import Synchronization

/// The ports of the listening origins.
final class OriginAddresses: Sendable {
    private let ports = Mutex<[LandscapeOrigin: Int]>([:])

    func set(_ port: Int, for origin: LandscapeOrigin) {
        ports.withLock { $0[origin] = port }
    }

    func port(of origin: LandscapeOrigin) -> Int {
        ports.withLock { $0[origin] ?? 0 }
    }

    /// The base URL `scheme://127.0.0.1:port`.
    func base(of origin: LandscapeOrigin) -> String {
        "\(origin.scheme)://127.0.0.1:\(port(of: origin))"
    }
}
