import Crypto
import Foundation
import Synchronization

/// The responses of the identity provider until their artifact is resolved (saml-bindings-2.0, 3.6).
final class ArtifactStore: Sendable {
    private struct Entry {
        let response: String
        let serviceProvider: String
        let issued: Duration
    }

    private let clock: LandscapeClock
    private let entries = Mutex<[String: Entry]>([:])

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    /// An artifact of type 4 (3.6.4) for the response.
    func add(_ response: String, for serviceProvider: String, from identityProvider: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let handle = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let bytes = [0, 4, 0, 0] + Self.source(identityProvider) + handle
        let artifact = Data(bytes).base64EncodedString()
        let entry = Entry(response: response, serviceProvider: serviceProvider, issued: clock.now)
        entries.withLock { $0[artifact] = entry }
        return artifact
    }

    /// The response of an artifact. The artifact works for one try of its service provider.
    func take(_ artifact: String, for serviceProvider: String, lifetime: Duration) -> String? {
        let now = clock.now
        guard let entry = entries.withLock({ $0.removeValue(forKey: artifact) }) else { return nil }
        return entry.serviceProvider == serviceProvider && now - entry.issued <= lifetime ? entry.response : nil
    }

    /// Whether the artifact names the identity provider.
    static func isArtifact(_ text: String, of identityProvider: String) -> Bool {
        guard let bytes = Data(base64Encoded: text), bytes.count == 44 else { return false }
        return Array(bytes.prefix(2)) == [0, 4] && Array(bytes[4..<24]) == source(identityProvider)
    }

    private static func source(_ identityProvider: String) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: Array(identityProvider.utf8)))
    }

    func removeAll() {
        entries.withLock { $0 = [:] }
    }
}
