/// The behaviour of a landscape's second factor.
package struct OTPRule: Sendable, Hashable {
    /// The number of 30-second periods by which a code may be early or late.
    package var tolerance: UInt64 = 1
    /// The time for which tries are refused after a wrong code, by the landscape's clock; nil: none. Each further
    /// wrong code doubles it.
    package var throttle: Duration?
    /// The time without use after which the second factor's session ends.
    package var sessionLifetime: Duration = .seconds(1800)
    /// The value of `x-smp-authentication`.
    package var headerValue = "otp-challenge"
    /// The scheme that the authenticator calls back to.
    package var callbackScheme = "com.example.landscape.xcallbackurl"
    /// The delay before each submitted code is checked; nil: none.
    package var delay: Duration?

    /// Codes may be one period off, and wrong ones are not throttled.
    package init() {}
}
