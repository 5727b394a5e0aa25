import Foundation
import Synchronization

/// The issued device codes (RFC 8628).
final class OAuthDeviceStore: Sendable {
    /// The code that a device shows, and the code with which it polls.
    struct Codes {
        let device: String
        let user: String
    }

    private enum Decision {
        case none
        case approved(user: String, at: Date)
        case denied
    }

    private struct Device {
        let client: String
        let issuer: String
        let scopes: [String]
        let userCode: String
        let expires: Duration
        var interval: Duration
        var lastPoll: Duration?
        var decision = Decision.none
    }

    /// Letters without vowels and without similar ones (RFC 8628, 6.1).
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private let clock: LandscapeClock
    private let counters: CounterSet<OAuthCounters>
    private let devices = Mutex<[SecretKey: Device]>([:])

    init(clock: LandscapeClock, counters: CounterSet<OAuthCounters>) {
        self.clock = clock
        self.counters = counters
    }

    func begin(client: OAuthClient, issuer: String, scopes: [String], rule: OAuthRule) -> Codes {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<8).compactMap { _ in Self.alphabet.randomElement(using: &generator) }
        let codes = Codes(
            device: RandomToken.makeBearer(), user: String(letters.prefix(4)) + "-" + String(letters.suffix(4)))
        let device = Device(
            client: client.id, issuer: issuer, scopes: scopes, userCode: Self.normalized(codes.user),
            expires: clock.now + rule.deviceCodeLifetime, interval: rule.deviceInterval)
        devices.withLock { $0[SecretKey(codes.device)] = device }
        return codes
    }

    /// The authorization after the approval. Before and after it throws the errors of RFC 8628, 3.5.
    func poll(_ deviceCode: String, client: OAuthClient, issuer: String) throws -> OAuthAuthorization {
        let now = clock.now
        return try devices.withLock { devices in
            let key = SecretKey(deviceCode)
            guard var device = devices[key], device.client == client.id, device.issuer == issuer else {
                throw OAuthFailure.invalidGrant("unknown device code")
            }
            guard device.expires > now else { throw OAuthFailure("expired_token", "the device code has expired") }
            let isTooEarly = device.lastPoll.map { now - $0 < device.interval } ?? false
            device.lastPoll = now
            if isTooEarly { device.interval += .seconds(5) }
            devices[key] = device
            if isTooEarly {
                counters.count(\.slowDowns)
                throw OAuthFailure("slow_down", "wait \(device.interval) between two requests")
            }
            switch device.decision {
            case .none: throw OAuthFailure("authorization_pending", "nobody has approved yet")
            case .denied: throw OAuthFailure("access_denied", "somebody said no")
            case .approved(let user, let date):
                devices[key] = nil
                return OAuthAuthorization(
                    client: device.client, user: user, scopes: device.scopes, issuer: issuer, authenticated: date)
            }
        }
    }

    /// The client and scopes of a code that waits for a decision.
    func waiting(userCode: String) -> (client: String, scopes: [String])? {
        let wanted = Self.normalized(userCode)
        let now = clock.now
        return devices.withLock { devices in
            Self.index(of: wanted, in: devices, now: now).map { (devices[$0].value.client, devices[$0].value.scopes) }
        }
    }

    /// Approves for the user, or denies for nil. Returns false if no device waits with that code.
    func decide(userCode: String, user: String?) -> Bool {
        let wanted = Self.normalized(userCode)
        let (now, date) = (clock.now, clock.date)
        return devices.withLock { devices in
            guard let index = Self.index(of: wanted, in: devices, now: now) else { return false }
            devices.values[index].decision = user.map { .approved(user: $0, at: date) } ?? .denied
            return true
        }
    }

    func removeAll() {
        devices.withLock { $0 = [:] }
    }

    private static func index(
        of code: String, in devices: [SecretKey: Device], now: Duration
    ) -> Dictionary<SecretKey, Device>.Index? {
        devices.firstIndex { entry in
            guard case .none = entry.value.decision, entry.value.expires > now else { return false }
            return UserDirectory.equal(entry.value.userCode, code)
        }
    }

    /// A code in capitals without separators, as users may type it in any way.
    private static func normalized(_ code: String) -> String {
        code.uppercased().filter { $0.isLetter || $0.isNumber }
    }
}
