import Synchronization

/// The state of the mobile server, which all origins share.
final class MobileServer: Service {
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

    init(clock: LandscapeClock, rule: MobileRule) {
        sessions = SessionStore(clock: clock, lifetime: rule.sessionLifetime)
        currentRule = Mutex(rule)
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

    func endSessions() { sessions.endAll() }

    // MARK: Commands

    var name: String { "mobile" }
    var counts: (any Encodable)? { counters.current }

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        switch command {
        case "connections/delete": connections.removeAll()
        case "sessions/expire": sessions.endAll()
        case "fault": rule.fault = try exchange.choice("kind")
        case "front":
            let front: MobileFront = try exchange.requiredChoice("where")
            rule.fronts[front] = try exchange.choice("kind")
        case "discovery": rule.discoveryFault = try exchange.choice("kind")
        default: throw AdminFailure.unknown
        }
        return nil
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry("/admin/mobile/counters", "GET: what was counted"),
            ContentsEntry(
                "/admin/mobile/connections/delete, /admin/mobile/sessions/expire",
                "POST; /admin/hold?path=mobile:connections"),
            ContentsEntry("/admin/mobile/fault?kind=", "POST: the fault of answers about connections"),
            ContentsEntry(
                "/admin/mobile/front?where=&kind=", "POST: the fault at relay, proxy, server or gateway"),
            ContentsEntry("/admin/mobile/discovery?kind=", "POST: the fault of /.well-known/mobile-logon"),
        ]
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
