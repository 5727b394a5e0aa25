import Synchronization

extension SiteServer {
    /// Texts under random names, each of which can be taken once.
    final class OneTimeTexts: Sendable {
        private let texts = Mutex<[String: String]>([:])

        func keep(_ text: String) -> String {
            let name = RandomToken.make()
            texts.withLock { $0[name] = text }
            return name
        }

        func take(_ name: String) -> String? { texts.withLock { $0.removeValue(forKey: name) } }
        func removeAll() { texts.withLock { $0 = [:] } }
    }
}
