import Synchronization

/// The ports of the origins, and their base URLs.
final class OriginAddresses: Sendable {
    private let basePort: Int?
    private let hosts: [String]
    private let ports = Mutex<[LandscapeOrigin: Int]>([:])

    /// - Parameter basePort: the port of the first origin, if ports are fixed
    init(basePort: Int?, extraHostNames: [String]) {
        self.basePort = basePort
        hosts = ["127.0.0.1", "localhost"] + extraHostNames
    }

    /// The port to listen on; 0 means any free one.
    func wantedPort(of origin: LandscapeOrigin) -> Int {
        basePort.map { $0 + origin.portOffset } ?? 0
    }

    func set(_ port: Int?, for origin: LandscapeOrigin) {
        ports.withLock { $0[origin] = port }
    }

    func port(of origin: LandscapeOrigin) -> Int {
        ports.withLock { $0[origin] ?? 0 }
    }

    /// The base URL `scheme://127.0.0.1:port`.
    func base(of origin: LandscapeOrigin) -> String {
        "\(origin.scheme)://127.0.0.1:\(port(of: origin))"
    }

    /// The origin of a base URL; nil if it does not belong to the landscape.
    func origin(ofBase base: String) -> LandscapeOrigin? {
        LandscapeOrigin.allCases.first { origin in
            hosts.contains { "\(origin.scheme)://\($0):\(port(of: origin))" == base }
        }
    }
}
