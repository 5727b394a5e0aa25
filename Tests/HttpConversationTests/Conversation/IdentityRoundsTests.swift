import Testing

@testable import HttpConversation

/// The answers to servers that ask for client certificates are bounded.
@Suite(.timeLimit(.minutes(1))) struct IdentityRoundsTests {
    private static func key(_ number: Int) throws -> IdentityRounds.Key {
        IdentityRounds.Key(origin: try Origin(scheme: .https, host: "h\(number).example"), isMeant: true)
    }

    /// Answers a round's question, as a server's handshake does.
    private static func answer(_ round: IdentityRound, _ identity: ClientIdentity?) async throws {
        let ticket = round.enter { identity }
        #expect(try await round.source.identity() == identity)
        round.leave(ticket)
    }

    private static func identity(_ number: UInt8) -> ClientIdentity {
        let summary = CertificateSummary(
            subject: "CN=\(number)", issuer: "CN=\(number)", names: [], notBefore: .distantPast,
            notAfter: .distantFuture, fingerprint: [number], publicKeyFingerprint: [number])
        return ClientIdentity(certificates: [[number]], privateKey: .der([number]), summary: summary)
    }

    /// Servers that ask and get nothing fill the table no more than others do.
    @Test func answersWithoutACertificateAreBounded() async throws {
        let rounds = IdentityRounds()
        let (known, used) = (try Self.key(-1), try Self.key(-2))
        let kept = rounds.round(for: known)
        try await Self.answer(kept, Self.identity(1))
        // A conversation waits for this one all the time.
        let waiting = rounds.round(for: used)
        let ticket = waiting.enter { nil }
        for number in 0..<2000 {
            if number % 100 == 0 { await Task.yield() }
            try await Self.answer(rounds.round(for: Self.key(number)), nil)
            #expect(rounds.count <= IdentityRounds.maximumRounds)
        }
        #expect(rounds.round(for: known) === kept && rounds.round(for: used) === waiting)
        waiting.leave(ticket)
    }

    @Test func theOldestCertificatesGo() async throws {
        let rounds = IdentityRounds()
        let first = rounds.round(for: try Self.key(0))
        try await Self.answer(first, Self.identity(1))
        for number in 1..<1500 {
            if number % 100 == 0 { await Task.yield() }
            try await Self.answer(rounds.round(for: Self.key(number)), Self.identity(1))
        }
        #expect(rounds.count <= IdentityRounds.maximumRounds)
        #expect(rounds.round(for: try Self.key(1499)).source.isAnswered)
        #expect(rounds.round(for: try Self.key(0)) !== first)
        // A refused answer is forgotten.
        let last = rounds.round(for: try Self.key(1499))
        rounds.forget(last)
        #expect(rounds.round(for: try Self.key(1499)) !== last)
    }
}
