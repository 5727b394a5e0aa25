import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVault

/// The servers whose untrusted certificates a person has accepted: by origin and public key, for all profiles.
enum KnownServers {
    // No profile can have this name.
    private static let name = ".servers"

    /// The filter that trusts all of them; nil if there are none.
    static func filter() async throws(CommandFailure) -> KnownServerFilter? {
        let pins = try await pins()
        return pins.isEmpty ? nil : KnownServerFilter(pins: pins)
    }

    /// The pins of the accepted keys, by origin.
    static func pins() async throws(CommandFailure) -> [String: String] {
        guard let base = Directories(ProcessInfo.processInfo.environment).state,
            let vault = try await ProfileState(profile: name).existingVault()
        else { return [:] }
        do { return try await StateRecords.knownServers.value(in: vault) } catch {
            let place = TerminalText.sanitise("\(base)/\(name)/\(DataVault.databaseName)")
            let failure = (error as? DataVaultError).map { StateFailure.failure($0) } ?? StateFailure.unexpected
            throw CommandFailure(
                failure.status, "The keys of known servers cannot be read from \"\(place)\": \(failure.message)")
        }
    }

    /// Stores an accepted key, and replaces an earlier one.
    static func accept(_ pin: String, for origin: Origin) async throws {
        try await ProfileState(profile: name).vault().transaction { transaction in
            var known = try StateRecords.knownServers.value(in: transaction)
            known[origin.description] = pin
            try StateRecords.knownServers.set(known, in: transaction)
        }
    }
}

/// Accepts the keys of servers, each for its origin, as a person has decided, regardless of other problems of their
/// certificates.
struct KnownServerFilter: ChallengeFilter {
    let handles: Set<AuthenticationMethod> = [.serverTrust]
    /// The pins by origin, as ``KnownServers`` stores them.
    let pins: [String: String]

    var requiredCapabilities: TransportCapabilities { .serverTrust }
    /// Empty, because the filter only accepts more servers.
    var connectionPolicy: ConnectionPolicy { ConnectionPolicy() }

    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
        var terms = ServerTrustTerms()
        if let pin = pins[origin.description], let key = CertificateSummary.publicKeyFingerprint(ofPin: pin) {
            terms.acceptedKeys = [key]
        }
        return terms
    }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer { .notHandled }
}
