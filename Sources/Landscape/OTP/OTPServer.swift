import Synchronization

/// The state of the second factor, which all origins share.
final class OTPServer: Sendable {
    /// The gate that holds requests for the form.
    static let gate = "otp:form"

    /// The sessions of the first factor, for the form only.
    let firstFactors: SessionStore
    /// The sessions of both factors.
    let sessions: SessionStore
    let forms: OTPFormStore
    let passcodes: PasscodeStore
    let counters = CounterSet(OTPCounters())
    private let currentRule: Mutex<OTPRule>

    init(_ configuration: LandscapeConfiguration) {
        let clock = configuration.clock
        firstFactors = SessionStore(clock: clock, lifetime: .seconds(600))
        sessions = SessionStore(clock: clock, lifetime: configuration.otpRule.sessionLifetime)
        forms = OTPFormStore()
        passcodes = PasscodeStore(clock: clock)
        currentRule = Mutex(configuration.otpRule)
    }

    var rule: OTPRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    /// Forgets sessions, forms, used codes and counters. The rule stays.
    func reset() {
        firstFactors.endAll()
        sessions.endAll()
        forms.removeAll()
        passcodes.removeAll()
        counters.reset()
    }
}
