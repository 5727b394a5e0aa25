/// Habits of the landscape's second factor.
package struct OTPRule: Sendable, Hashable {
    /// How many periods of 30 seconds a code may be early or late.
    package var tolerance: UInt64 = 1
    /// How long tries are refused after a wrong code, twice as long after each further one, by the landscape's clock;
    /// nil means not at all.
    package var throttle: Duration?
    /// How long a second factor lasts without being used.
    package var sessionLifetime: Duration = .seconds(1800)
    /// The value of `x-smp-authentication`.
    package var headerValue = "otp-challenge"
    /// The scheme that the authenticator calls back to.
    package var callbackScheme = "com.example.landscape.xcallbackurl"
    /// How long each submitted code waits before it is looked at; nil means not at all.
    package var delay: Duration?

    /// Codes may be one period off, wrong ones cost nothing.
    package init() {}
}
