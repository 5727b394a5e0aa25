import Synchronization

/// The one-time tokens of open forms. Each belongs to the first factor that it was shown to.
final class OTPFormStore: Sendable {
    private static let capacity = 50_000
    private let tokens = Mutex<[SecretKey: SecretKey]>([:])

    /// A token for the form.
    func open(for firstFactor: String) -> String {
        let token = RandomToken.makeBearer()
        tokens.withLock { tokens in
            if tokens.count >= Self.capacity { tokens = [:] }
            tokens[SecretKey(token)] = SecretKey(firstFactor)
        }
        return token
    }

    /// Whether the token belongs to the first factor. It works once.
    func take(_ token: String?, for firstFactor: String) -> Bool {
        guard let token else { return false }
        return tokens.withLock { $0.removeValue(forKey: SecretKey(token)) } == SecretKey(firstFactor)
    }

    func removeAll() {
        tokens.withLock { $0 = [:] }
    }
}
