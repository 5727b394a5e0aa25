import Synchronization

/// The state of the mobile server, which all origins share.
final class MobileServer: Sendable {
    /// The gate that holds requests about connections.
    static let gate = "mobile:connections"
    /// The registered applications. The second one may be used without a login.
    static let applications = ["com.example.app", "com.example.open"]
    static let openApplication = "com.example.open"

    let connections = MobileConnectionStore()
    let sessions: SessionStore
    let counters = CounterSet(MobileCounters())
    private let currentRule: Mutex<MobileRule>
    private let uploads = Mutex<[MobileUpload]>([])

    init(_ configuration: LandscapeConfiguration) {
        sessions = SessionStore(clock: configuration.clock, lifetime: configuration.mobileRule.sessionLifetime)
        currentRule = Mutex(configuration.mobileRule)
    }

    var rule: MobileRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    var received: [MobileUpload] { uploads.withLock { $0 } }

    func receive(_ upload: MobileUpload) { uploads.withLock { $0.append(upload) } }

    /// Forgets connections, sessions, uploads and counters. The rule stays.
    func reset() {
        connections.removeAll()
        sessions.endAll()
        uploads.withLock { $0 = [] }
        counters.reset()
    }
}

/// An uploaded trace.
package struct MobileUpload: Sendable, Hashable {
    /// The path of the upload.
    package let path: String
    /// The media type.
    package let contentType: String
    /// The length in bytes.
    package let length: Int
    /// The SHA-256 in hexadecimal digits.
    package let sha256: String
}
