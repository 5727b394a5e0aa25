import Foundation
import HttpC

/// The servers whose untrusted certificates a person has accepted: by origin and public key, a line each.
enum KnownServers {
    // No profile is called like that.
    private static let directory = ".servers"
    private static let file = "known"

    /// The pin of the key that was accepted for an origin.
    static func pin(of origin: Origin) throws(CommandFailure) -> String? {
        guard Directories(ProcessInfo.processInfo.environment).state != nil,
            let directory = try StateDirectory.open(profile: directory, creates: false)
        else { return nil }
        return lines(try StateFile(directory: directory, name: file).read())[origin.description]
    }

    /// Remembers a key, in the place of one that was accepted before.
    static func accept(_ pin: String, for origin: Origin) throws(CommandFailure) {
        guard let directory = try StateDirectory.open(profile: directory, creates: true) else { return }
        try StateFile(directory: directory, name: file).update { data throws(CommandFailure) in
            var known = lines(data)
            known[origin.description] = pin
            return Data(known.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined().utf8)
        }
    }

    private static func lines(_ data: Data?) -> [String: String] {
        var known: [String: String] = [:]
        for line in (data ?? Data()).split(separator: 0x0A) {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            if parts.count == 2 { known[String(parts[0])] = String(parts[1]) }
        }
        return known
    }
}

/// Trusts one server by its key, as a person has said: whatever else is wrong with its certificate.
struct KnownServerFilter: ChallengeFilter {
    let handles: Set<AuthenticationMethod> = [.serverTrust]
    let origin: Origin
    let pin: String

    var requiredCapabilities: TransportCapabilities { .serverTrust }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard challenge.target.origin == origin, let trust = challenge.serverTrust, trust.summary?.pin == pin else {
            return .notHandled
        }
        return .trust
    }
}
