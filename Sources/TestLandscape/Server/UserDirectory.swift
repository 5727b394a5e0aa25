import Crypto
import Foundation
import Synchronization

/// The users of a landscape, by name.
final class UserDirectory: Sendable {
    private let users: Mutex<[String: LandscapeUser]>

    init(_ users: [LandscapeUser]) {
        self.users = Mutex(Dictionary(users.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last }))
    }

    var all: [LandscapeUser] {
        users.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    func set(_ user: LandscapeUser) {
        users.withLock { $0[user.name] = user }
    }

    func remove(named name: String) {
        users.withLock { $0[name] = nil }
    }

    /// The user of that name if the user belongs to the realm.
    func user(named name: String, in realm: String) -> LandscapeUser? {
        guard let user = users.withLock({ $0[name] }) else { return nil }
        return user.realms?.contains(realm) == false ? nil : user
    }

    /// The user whose `name:password` has exactly these bytes in one of the encodings.
    func user(withCredential bytes: [UInt8], in realm: String, encodings: [String.Encoding]) -> LandscapeUser? {
        for encoding in encodings {
            guard let text = String(bytes: bytes, encoding: encoding),
                let colon = text.firstIndex(of: ":")
            else { continue }
            let password = String(text[text.index(after: colon)...])
            guard let user = user(named: String(text[..<colon]), in: realm) else { continue }
            if Self.equal(password, user.password) { return user }
        }
        return nil
    }

    /// The current one-time password of a user; nil without user or secret.
    func passcode(of name: String, clock: LandscapeClock) -> String? {
        let secret = users.withLock { $0[name]?.totpSecret }.flatMap(Base32.decode)
        return secret.map { TOTP.code(secret: $0, step: TOTP.step(at: clock.date)) }
    }

    /// Compares two secrets in constant time.
    static func equal(_ one: String, _ other: String) -> Bool {
        let left = SHA256.hash(data: Array(one.utf8))
        let right = SHA256.hash(data: Array(other.utf8))
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
