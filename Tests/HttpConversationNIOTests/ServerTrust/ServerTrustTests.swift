import Foundation
import HTTPTypes
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import SwiftASN1
import Testing
import X509

@testable import HttpConversationNIO

@Suite(.serialized, .timeLimit(.minutes(1))) struct ServerTrustTests {
    /// A filter with the test's answer.
    private struct Filter: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.serverTrust]
        let asked = Counter()
        let answer: @Sendable (AuthenticationChallenge) async throws -> ChallengeAnswer

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            asked.add()
            return try await answer(challenge)
        }
    }

    private static func manager(
        _ transport: NIOTransport, _ filters: any ChallengeFilter...
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        for (index, filter) in filters.enumerated() { configuration.challengeFilters.add(filter, id: "\(index)") }
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func problems(_ error: ConversationError?) -> Set<ServerTrust.Problem>? {
        (error?.underlyingError as? ServerTrustError)?.trust.problems
    }

    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var names: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))]
        var from = Date() - 3600
        var until = Date() + 3600
        var isKnown = true
        let problems: Set<ServerTrust.Problem>
        var words: [String] = []
    }

    static let samples = [
        Sample(testDescription: "good", problems: []),
        Sample(testDescription: "expired", until: Date() - 60, problems: [.expired], words: ["has expired"]),
        Sample(
            testDescription: "not yet valid", from: Date() + 3600, problems: [.notYetValid], words: ["is not valid yet"]
        ),
        Sample(
            testDescription: "other names", names: [.dnsName("other.example")], problems: [.wrongName],
            words: ["is not for", "other.example"]),
        Sample(
            testDescription: "unknown issuer", isKnown: false, problems: [.unknownIssuer], words: ["issuer", "Test CA"]),
        Sample(
            testDescription: "everything", names: [.dnsName("other.example")], until: Date() - 60, isKnown: false,
            problems: [.expired, .wrongName, .unknownIssuer]),
    ]

    @Test(arguments: samples, ["localhost", "127.0.0.1"])
    func certificateProblemsAreDistinguished(sample: Sample, host: String) async throws {
        let authority = try TestAuthority()
        let issuer = sample.isKnown ? authority : try TestAuthority()
        let context = try issuer.serverContext(for: sample.names, notBefore: sample.from, notAfter: sample.until)
        try await RawServer.run(tls: context, script: RawServer.answering()) { server async throws in
            let url = "https://\(host):\(server.port)/"
            let filter = Filter { challenge in
                #expect(challenge.serverTrust?.problems == sample.problems)
                #expect(challenge.serverTrust?.summary?.subject == "CN=server")
                return .notHandled
            }
            let manager = Self.manager(.trusting(authority), filter)
            if sample.problems.isEmpty {
                for _ in 0..<2 { #expect(try await manager.text(url) == "secure") }
                #expect(server.connectionCount == 1)
            } else {
                let error = await manager.failure(url)
                #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
                #expect(Self.problems(error) == sample.problems)
                for word in sample.words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
            }
            #expect(filter.asked.value == 1)
        }
    }

    /// NIOSSL verifies, and reports only that it failed.
    @Test(arguments: samples.filter { !$0.problems.isEmpty }, ["localhost", "127.0.0.1"])
    func problemsAreDistinguishedWithoutFilters(sample: Sample, host: String) async throws {
        let authority = try TestAuthority()
        let issuer = sample.isKnown ? authority : try TestAuthority()
        let context = try issuer.serverContext(for: sample.names, notBefore: sample.from, notAfter: sample.until)
        try await RawServer.run(tls: context, script: RawServer.answering()) { server async throws in
            let error = await Self.manager(.trusting(authority)).failure("https://\(host):\(server.port)/")
            #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
            #expect(Self.problems(error) == sample.problems)
            for word in sample.words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
        }
    }

    @Test func pins() async throws {
        let authority = try TestAuthority()
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let transport = NIOTransport.trusting(authority)
            let other = try PublicKeyPinFilter("sha256//" + Data(repeating: 7, count: 32).base64EncodedString())
            let error = await Self.manager(transport, other).failure(url)
            #expect(error?.code == .publicKeyNotPinned, "\(String(describing: error))")
            let failure = try #require(error?.underlyingError as? ServerTrustError)
            let pin = try #require(failure.trust.summary?.pin)
            #expect(error?.message.contains(pin) == true)
            let right = try PublicKeyPinFilter(
                "sha256//" + Data(repeating: 7, count: 32).base64EncodedString() + ";" + pin)
            #expect(try await Self.manager(transport, right).text(url) == "secure")
            // A connection that no filter judged is not used by managers whose filters judge.
            let elsewhere = try PublicKeyPinFilter(pin, for: [try Origin(scheme: .https, host: "a.example")])
            #expect(try await Self.manager(transport, elsewhere).text(url) == "secure")
            #expect(await Self.manager(transport, other).failure(url)?.code == .publicKeyNotPinned)
        }
    }

    /// Pins apply even if verification is off.
    @Test func pinsHoldWithoutVerification() async throws {
        try await RawServer.run(
            tls: try TestAuthority().serverContext(for: [.dnsName("a.example")]), script: RawServer.answering()
        ) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let transport = NIOTransport.make { $0.tls.verifiesCertificates = false }
            let other = try PublicKeyPinFilter("sha256//" + Data(repeating: 7, count: 32).base64EncodedString())
            let error = await Self.manager(transport, other).failure(url)
            #expect(error?.code == .publicKeyNotPinned, "\(String(describing: error))")
            let failure = try #require(error?.underlyingError as? ServerTrustError)
            let right = try PublicKeyPinFilter(try #require(failure.trust.summary?.pin))
            #expect(try await Self.manager(transport, right).text(url) == "secure")
        }
    }

    /// A filter's own request goes to the pinned server only.
    @Test func pinsApplyToChildren() async throws {
        let authority = try TestAuthority()
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let pin = try PublicKeyPinFilter("sha256//" + Data(repeating: 7, count: 32).base64EncodedString())
            let manager = Self.manager(.trusting(authority), pin)
            let context = manager.detachedContext(for: try TargetURL(url))
            do throws(ConversationError) {
                _ = try await context.start(HTTPRequest(.get, url))
                Issue.record("it has another key")
            } catch {
                #expect(error.code == .publicKeyNotPinned)
            }
        }
    }

    @Test func aRightPinDoesNotExcuseAWrongName() async throws {
        let authority = try TestAuthority()
        let context = try authority.serverContext(for: [.dnsName("other.example")])
        try await RawServer.run(tls: context, script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let transport = NIOTransport.trusting(authority)
            let first = await Self.manager(transport, Filter { _ in .notHandled }).failure(url)
            let trust = try #require((first?.underlyingError as? ServerTrustError)?.trust)
            let pinned = Self.manager(transport, try PublicKeyPinFilter(try #require(trust.summary?.pin)))
            #expect(Self.problems(await pinned.failure(url)) == [.wrongName])
        }
    }

    @Test func privateAuthority() async throws {
        let (known, own) = (try TestAuthority(), try TestAuthority())
        try await RawServer.run(tls: own.serverContext(), script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            let transport = NIOTransport.trusting(known)
            let manager = Self.manager(transport, try PrivateAuthorityFilter(pem: own.pem, for: [origin]))
            #expect(try await manager.text(url) == "secure")
            // The trust is for that origin and this manager only.
            let byAddress = "https://127.0.0.1:\(server.port)/"
            #expect(await manager.failure(byAddress)?.code == .certificateNotTrusted)
            #expect(await Self.manager(transport).failure(url)?.code == .certificateNotTrusted)
        }
        try await RawServer.run(tls: own.serverContext(for: [.dnsName("a.example")]), script: RawServer.answering()) {
            server in
            let url = "https://localhost:\(server.port)/"
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            let filter = try PrivateAuthorityFilter(pem: own.pem, for: [origin])
            let error = await Self.manager(.trusting(known), filter).failure(url)
            #expect(Self.problems(error)?.contains(.wrongName) == true)
        }
    }

    /// A person takes longer than a server waits, so they are asked while no handshake waits.
    @Test func personIsAskedOutsideTheHandshake() async throws {
        let (known, own) = (try TestAuthority(), try TestAuthority())
        try await RawServer.run(tls: own.serverContext(), script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let questions = Counter()
            let person = { (answer: ChallengeAnswer) in
                Filter { challenge in
                    guard challenge.serverTrust?.problems.isEmpty == false else { return .notHandled }
                    return .after(
                        ConversationStep<ChallengeAnswer>("trust", policy: StepPolicy(isInteractive: true)) { _ in
                            let count = questions.add()
                            // The refused connection is closed by now.
                            await server.wait { $0.closedCount >= count }
                            return answer
                        })
                }
            }
            let transport = NIOTransport.trusting(known)
            let manager = Self.manager(transport, person(.trust))
            for _ in 0..<3 { #expect(try await manager.text(url) == "secure") }
            // Nor does a filter's own request ask again.
            let context = manager.detachedContext(for: try TargetURL(url))
            #expect(try await context.start(HTTPRequest(.get, url)).text == "secure")
            #expect(questions.value == 1)
            let refused = await Self.manager(transport, person(.notHandled)).failure(url)
            #expect(Self.problems(refused) == [.unknownIssuer])
            #expect(questions.value == 2)
        }
    }

    /// A delegate sees good and bad certificates before the filters judge. It is told nothing if no filter handles
    /// them.
    @Test(arguments: [true, false]) func delegatesSeeServersCertificates(isKnown: Bool) async throws {
        let authority = try TestAuthority()
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server async throws in
            let url = "https://localhost:\(server.port)/"
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            let told = "challenged: \(ProtectionSpace(origin: origin, method: .serverTrust, realm: ""))"
            let delegate = RecordingDelegate()
            let filter = Filter { challenge in
                #expect(delegate.hops == ["GET \(url)", told])
                #expect((challenge.serverTrust?.problems.isEmpty == true) == isKnown)
                return .notHandled
            }
            let transport = NIOTransport.trusting(isKnown ? authority : try TestAuthority())
            _ = try? await Self.manager(transport, filter).data(for: HTTPRequest(.get, url), delegate: delegate)
            #expect(filter.asked.value == 1)
            #expect(delegate.hops == ["GET \(url)", told] + (isKnown ? ["200 of \(url)"] : []))

            let unasked = RecordingDelegate()
            _ = try? await Self.manager(transport).data(for: HTTPRequest(.get, url), delegate: unasked)
            #expect(unasked.hops == ["GET \(url)"] + (isKnown ? ["200 of \(url)"] : []))
        }
    }

    /// The time that a person takes does not count: the next exchange has the full limit.
    @Test func aPersonsTimeDoesNotCountForNetworkLimits() async throws {
        let (known, own) = (try TestAuthority(), try TestAuthority())
        let script: RawServer.Script = { connection in
            while true {
                let isFirst = try await connection.readHead().hasPrefix("GET / ")
                let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
                if isFirst { try await connection.write(redirect) } else { try await connection.respond("secure") }
            }
        }
        try await RawServer.run(tls: own.serverContext(), script: script) { server async throws in
            let clock = TestClock()
            let person = Filter { _ in
                .after(
                    ConversationStep<ChallengeAnswer>("trust", policy: StepPolicy(isInteractive: true)) { _ in
                        clock.advance(by: .seconds(60))
                        return .trust
                    })
            }
            let manager = Self.manager(NIOTransport.trusting(known), person)
            manager.update {
                $0.clock = clock
                $0.networkTimeout = .seconds(30)
            }
            #expect(try await manager.text("https://localhost:\(server.port)/") == "secure")
        }
    }

    @Test func aFilterThatIsSlowEndsWithItsConversation() async throws {
        let authority = try TestAuthority()
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server async throws in
            let ended = Counter()
            let filter = Filter { _ in
                defer { ended.add() }
                try await Task.sleep(for: .seconds(600))
                return .trust
            }
            let manager = Self.manager(.trusting(authority), filter)
            let conversation = try manager.start(HTTPRequest(.get, "https://localhost:\(server.port)/"))
            await filter.asked.wait(for: 1)
            conversation.cancel()
            await ended.wait(for: 1)
            await server.wait { $0.closedCount == 1 }
        }
    }
}
