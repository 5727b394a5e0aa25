import DataVault
import Foundation
import HttpC

/// The servers whose untrusted certificates a person has accepted: by origin and public key, whatever the profile.
enum KnownServers {
    // No profile is called like that.
    private static var state: ProfileState { ProfileState(profile: ".servers") }

    /// What trusts those of some origins.
    static func filters(for origins: Set<Origin>) async throws(CommandFailure) -> [KnownServerFilter] {
        var filters: [KnownServerFilter] = []
        for origin in origins {
            if let pin = try await pin(of: origin) { filters.append(KnownServerFilter(origin: origin, pin: pin)) }
        }
        return filters
    }

    /// The pin of the key that was accepted for an origin.
    static func pin(of origin: Origin) async throws(CommandFailure) -> String? {
        guard origin.scheme == .https, Directories(ProcessInfo.processInfo.environment).state != nil,
            let vault = try await state.existingVault()
        else { return nil }
        do { return try await StateRecords.knownServers.value(in: vault)[origin.description] } catch {
            guard let error = error as? DataVaultError else {
                throw CommandFailure(.usage, "The keys of known servers cannot be read.")
            }
            throw StateFailure.failure(error)
        }
    }

    /// Remembers a key, in the place of one that was accepted before.
    static func accept(_ pin: String, for origin: Origin) async throws {
        try await state.vault().transaction { transaction in
            var known = try StateRecords.knownServers.value(in: transaction)
            known[origin.description] = pin
            try StateRecords.knownServers.set(known, in: transaction)
        }
    }
}

/// Accepts the key of one server, as a person has said, whatever else is wrong with its certificate.
struct KnownServerFilter: ChallengeFilter {
    let handles: Set<AuthenticationMethod> = [.serverTrust]
    let origin: Origin
    let pin: String

    var requiredCapabilities: TransportCapabilities { .serverTrust }
    /// Empty: it only accepts one more server.
    var connectionPolicy: ConnectionPolicy { ConnectionPolicy() }

    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
        var terms = ServerTrustTerms()
        if origin == self.origin, let key = CertificateSummary.publicKeyFingerprint(ofPin: pin) {
            terms.acceptedKeys = [key]
        }
        return terms
    }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer { .notHandled }
}
