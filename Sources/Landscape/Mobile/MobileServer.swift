import Synchronization

/// The state of the mobile server, which all origins share.
final class MobileServer: Sendable {
    /// The gate that holds requests about connections.
    static let gate = "mobile:connections"
    /// The applications that an administrator has made known; the second one may be used without a login.
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

    /// Forgets connections, sessions, uploads and counts; the rule stays.
    func reset() {
        connections.removeAll()
        sessions.endAll()
        uploads.withLock { $0 = [] }
        counters.reset()
    }
}

/// A trace that was uploaded.
package struct MobileUpload: Sendable, Hashable {
    /// The path that it came to.
    package let path: String
    /// Its type.
    package let contentType: String
    /// How long it is.
    package let length: Int
    /// The SHA-256 of it, in hexadecimal digits.
    package let sha256: String
}
