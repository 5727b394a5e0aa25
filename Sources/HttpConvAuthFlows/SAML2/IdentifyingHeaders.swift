import HTTPTypes
import HttpConversation
import Synchronization

/// The identifying headers in the configurations of servers so far. An answer is a challenge only if it has one of its
/// server's headers, or is a page.
final class IdentifyingHeaders: Sendable {
    private let known = Mutex<[Origin: [HTTPField.Name]]>([:])
    private static let maximum = 1000

    /// Whether an answer may have the identifying header of a server; true if no provider was asked about it yet.
    func mayBe(in head: HTTPResponse, of origin: Origin) -> Bool {
        guard let names = known.withLock({ $0[origin] }) else { return true }
        return names.contains { head.headerFields.has($0) }
    }

    /// Records the answer of the providers about a URL of a server.
    func note(_ name: HTTPField.Name?, of origin: Origin) {
        known.withLock { known in
            if known.count >= Self.maximum, known[origin] == nil { known.removeAll() }
            var names = known[origin] ?? []
            if let name, !names.contains(name) { names.append(name) }
            known[origin] = names
        }
    }
}
