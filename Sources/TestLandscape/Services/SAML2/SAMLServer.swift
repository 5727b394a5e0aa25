import Synchronization

/// The state of the service provider and the identity provider, which all origins share.
final class SAMLServer: Service {
    /// The gates that hold requests for pages of the identity provider, and for the assertion consumer.
    static let loginGate = "saml:login"
    static let consumerGate = "saml:acs"

    let sessions: SessionStore
    let requests: SAMLRequestStore
    let browsers: BrowserStore<SignOnPurpose>
    let artifacts: ArtifactStore
    let passcodes: PasscodeStore
    let counters = CounterSet(SAMLCounters())
    let faults = FaultQueue<SAMLAssertionFault>()
    let clock: LandscapeClock
    private let currentRule: Mutex<SAMLRule>

    init(clock: LandscapeClock, sessionLifetime: Duration, rule: SAMLRule) {
        self.clock = clock
        currentRule = Mutex(rule)
        sessions = SessionStore(clock: clock, lifetime: sessionLifetime)
        requests = SAMLRequestStore(clock: clock)
        browsers = BrowserStore(clock: clock)
        artifacts = ArtifactStore(clock: clock)
        passcodes = PasscodeStore(clock: clock)
    }

    var rule: SAMLRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    /// The identity provider's key, and an unknown one. They are made once per process, because a new RSA key is slow
    /// to make.
    static func signature() throws -> XMLSignature { try key.get() }
    static func unknownSignature() throws -> XMLSignature { try unknownKey.get() }
    private static let key = Result { try XMLSignature() }
    private static let unknownKey = Result { try XMLSignature() }

    var counts: (any Encodable)? { counters.current }

    func endSessions() {
        sessions.endAll()
        browsers.endAll()
    }

    /// Forgets sessions, requests, artifacts, used passwords, faults and counters. The rule and the key stay.
    func reset() {
        sessions.endAll()
        requests.removeAll()
        browsers.removeAll()
        artifacts.removeAll()
        passcodes.removeAll()
        faults.removeAll()
        counters.reset()
    }
}
