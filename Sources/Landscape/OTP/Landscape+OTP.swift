/// Controls and counters of a landscape's second factor.
extension Landscape {
    /// The behaviour of the second factor. It may be changed at any time.
    package var otpRule: OTPRule {
        get { world.otp.rule }
        set { world.otp.rule = newValue }
    }

    /// The counters of the second factor.
    package var otpCounters: OTPCounters { world.otp.counters.current }

    /// The current code of a user's authenticator, by the landscape's clock; nil without user or secret.
    public func passcode(of user: String = "alice") -> String? {
        world.passcode(of: user)
    }

    /// Ends all sessions of the second factor. The first factors stay.
    public func expireOTPSessions() {
        world.otp.sessions.endAll()
    }
}

extension World {
    func passcode(of name: String) -> String? {
        let secret = users.all.first { $0.name == name }?.totpSecret.flatMap(Base32.decode)
        return secret.map { TOTP.code(secret: $0, step: TOTP.step(at: clock.date)) }
    }
}
