/// What tests change in, and ask of, the second factor of a landscape.
extension Landscape {
    /// Habits of the second factor; may be changed at any time.
    package var otpRule: OTPRule {
        get { world.otp.rule }
        set { world.otp.rule = newValue }
    }

    /// What the second factor has counted.
    package var otpCounters: OTPCounters { world.otp.counters.current }

    /// The code that a user's authenticator shows now, by the landscape's clock; nil without user or secret.
    public func passcode(of user: String = "alice") -> String? {
        world.passcode(of: user)
    }

    /// Ends what the second factor opened; the first factors stay.
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
