import HTTPTypes
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ClientCertificateTests {
    /// The answers to servers that asked for a certificate.
    private static func uses(_ observer: RecordingObserver) -> [ConversationEvent.CertificateUse] {
        observer.events.compactMap { if case .clientCertificateUsed(let use) = $0.kind { use } else { nil } }
    }

    @Test(arguments: MutualServer.Version.allCases, ["localhost", "127.0.0.1"])
    func isShownToServersThatAsk(version: MutualServer.Version, host: String) async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let provider = CountingIdentities { challenge in
                #expect(challenge.method == .clientCertificate)
                #expect(challenge.target.origin.host == host)
                #expect(challenge.previousFailureCount == 0)
                #expect(challenge.response == nil)
                return .identity(alice)
            }
            let observer = RecordingObserver()
            let manager = NIOTransport.trusting(authority).manager(provider, observer: observer)
            for _ in 0..<3 {
                #expect(try await manager.text("https://\(host):\(server.port)/") == "CN=alice")
            }
            #expect(provider.asked.value == 1)
            #expect(server.connectionCount == 1)
            let used = Self.uses(observer)
            #expect(used.count == 3)
            #expect(used.allSatisfy { $0.verdict == .present && $0.certificate == alice.summary })
            #expect(used.allSatisfy { $0.certificate?.subject == "CN=alice" && $0.origin.host == host })
            #expect(observer.violations.isEmpty)
        }
    }

    @Test(arguments: MutualServer.Version.allCases) func noCertificateCountsAsAnAnswer(version: MutualServer.Version)
        async throws
    {
        let authority = try TestAuthority()
        try await MutualServer(authority: authority, version: version, isOptional: true).run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let first = CountingIdentities { _ in .none }
            let second = CountingIdentities { _ in .noCertificate }
            let third = CountingIdentities { _ in throw CancellationError() }
            let observer = RecordingObserver()
            let manager = NIOTransport.trusting(authority).manager(first, second, third, observer: observer)
            for _ in 0..<2 { #expect(try await manager.text(url) == "nobody") }
            #expect((first.asked.value, second.asked.value, third.asked.value) == (1, 1, 0))
            #expect(Self.uses(observer).map(\.verdict) == [.absent, .absent])
        }
    }

    @Test(arguments: MutualServer.Version.allCases) func aDemandedButMissingCertificateFails(
        version: MutualServer.Version
    ) async throws {
        let authority = try TestAuthority()
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let provider = CountingIdentities { _ in .none }
            let transport = NIOTransport.trusting(authority)
            let manager = transport.manager(provider)
            for count in 1...2 {
                let error = await manager.failure(url)
                #expect(error?.code == .clientCertificateRequired, "\(String(describing: error))")
                #expect(provider.asked.value == count)
            }
            // Without a provider, TLS 1.2 does not say why it fails.
            let plain = await transport.manager().failure(url)
            #expect(plain?.code == (version == .tls12 ? .tlsFailed : .clientCertificateRequired))
        }
    }

    /// A server for which a certificate is optional closes a connection: that is not about the certificate. Under TLS
    /// 1.3 a reset may hide the alert that says so.
    @Test(arguments: MutualServer.Version.allCases, [false, true]) func aDroppedConnectionDemandsNothing(
        version: MutualServer.Version, isReset: Bool
    ) async throws {
        let authority = try TestAuthority()
        let mutual = MutualServer(authority: authority, version: version, isOptional: true)
        try await RawServer.run(tls: mutual.context()) { connection in
            guard connection.index == 0 else { return try await MutualServer.answering(connection) }
            _ = try await connection.readHead()
            if isReset { try await ConnectionEnd.reset.happen(to: connection) }
        } _: { server async throws in
            let url = "https://localhost:\(server.port)/"
            let manager = NIOTransport.trusting(authority).manager(CountingIdentities { _ in .none })
            let error = await manager.failure(url)
            let expected: ConversationError.Code =
                isReset ? (version == .tls13 ? .clientCertificateRequired : .receiveFailed) : .emptyResponse
            #expect(error?.code == expected, "\(String(describing: error))")
            #expect(error?.message.contains("it may demand one") == (expected != .receiveFailed))
            #expect(try await manager.text(url) == "nobody")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: MutualServer.Version.allCases) func afterARefusalTheNextCertificateIsShown(
        version: MutualServer.Version
    )
        async throws
    {
        let authority = try TestAuthority()
        let (wrong, right) = (try TestAuthority().identity("mallory"), try authority.identity("alice"))
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let provider = CountingIdentities { .identity($0.previousFailureCount == 0 ? wrong : right) }
            let observer = RecordingObserver()
            let manager = NIOTransport.trusting(authority).manager(provider, observer: observer)
            let response = try await manager.data(for: HTTPRequest(.post, url), body: .text("once more"))
            #expect(response.text == "CN=alice")
            #expect(provider.asked.value == 2)
            #expect(server.connectionCount == 2)
            #expect(Self.uses(observer).map(\.verdict) == [.present, .refused, .present])
            // The next conversation starts with the accepted certificate, over the same connection.
            #expect(try await manager.text(url) == "CN=alice")
            #expect(provider.asked.value == 2)
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: MutualServer.Version.allCases) func aRefusedOnlyCertificateFails(version: MutualServer.Version)
        async throws
    {
        let authority = try TestAuthority()
        let wrong = try TestAuthority().identity("mallory")
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let provider = CountingIdentities { _ in .identity(wrong) }
            let manager = NIOTransport.trusting(authority).manager(provider)
            let error = await manager.failure(url)
            #expect(error?.code == .clientCertificateRefused, "\(String(describing: error))")
            #expect(error?.message.contains("CN=mallory") == true)
            #expect(provider.asked.value == 2)
            // The server has not asked for the body, so it can still be sent.
            let body = RequestBody.oneShot(length: 3, RequestBodyStream { [1, 2, 3] })
            #expect(await manager.failure(url, body: body)?.code == .clientCertificateRefused)
            #expect(provider.asked.value == 4)
        }
    }

    @Test(arguments: MutualServer.Version.allCases, [false, true])
    func sessionsShareNoCertificate(version: MutualServer.Version, isHTTP2: Bool) async throws {
        let authority = try TestAuthority()
        let (alice, bob) = (try authority.identity("alice"), try authority.identity("bob"))
        let mutual = MutualServer(authority: authority, version: version, isOptional: true, isHTTP2: isHTTP2)
        try await mutual.run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let transport = NIOTransport.trusting(authority)
            let managers = [
                "CN=alice": transport.manager(CountingIdentities { _ in .identity(alice) }),
                "CN=bob": transport.manager(CountingIdentities { _ in .identity(bob) }),
                "nobody": transport.manager(),
            ]
            try await withThrowingTaskGroup { group in
                for index in 0..<10 {
                    for (name, manager) in managers {
                        group.addTask {
                            let text = try await manager.text("\(url)\(index)")
                            #expect(text == name)
                        }
                    }
                }
                try await group.waitForAll()
            }
            for (name, manager) in managers { #expect(try await manager.text(url) == name) }
            if isHTTP2 { #expect(server.connectionCount == managers.count) }
        }
    }

    @Test(arguments: [false, true]) func twoHundredRequestsShareOneQuestion(isHTTP2: Bool) async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await MutualServer(authority: authority, version: .tls13, isHTTP2: isHTTP2).run { server async throws in
            let begun = Counter()
            let provider = CountingIdentities { _ in
                // The maximum number of concurrent handshakes is waiting. Over HTTP/2 the others wait for the first
                // one.
                await begun.wait(for: 200)
                await server.wait { $0.connectionCount >= (isHTTP2 ? 1 : 64) }
                return .identity(alice)
            }
            let transport = NIOTransport.trusting(authority, newestVersion: isHTTP2 ? .http2 : .http11)
            let manager = transport.manager(provider)
            let url = "https://localhost:\(server.port)/"
            let texts = try await withThrowingTaskGroup { group in
                for index in 0..<200 {
                    group.addTask {
                        begun.add()
                        return try await manager.text("\(url)\(index)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(server.connectionCount == (isHTTP2 ? 1 : 64))
            #expect(texts == Array(repeating: "CN=alice", count: 200))
            #expect(provider.asked.value == 1)
        }
    }

    @Test func theAnswerIsForgottenWithTheCredentials() async throws {
        let authority = try TestAuthority()
        let (alice, bob) = (try authority.identity("alice"), try authority.identity("bob"))
        try await MutualServer(authority: authority, version: .tls13).run { server async throws in
            let url = "https://localhost:\(server.port)/"
            let names = Counter()
            let provider = CountingIdentities { _ in .identity(names.add() == 1 ? alice : bob) }
            let manager = NIOTransport.trusting(authority).manager(provider)
            #expect(try await manager.text(url) == "CN=alice")
            manager.configuration.session.removeCredentials()
            #expect(try await manager.text(url) == "CN=bob")
        }
    }

    @Test func onlyTheCallersServerGetsTheCertificate() async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        let mutual = MutualServer(authority: authority, version: .tls13, isOptional: true)
        try await mutual.run { other async throws in
            let elsewhere = other.port
            try await RawServer.run(tls: authority.serverContext()) { connection in
                _ = try await connection.readHead()
                try await connection.write(
                    "HTTP/1.1 302 Found\r\nLocation: https://localhost:\(elsewhere)/\r\nContent-Length: 0\r\n\r\n")
            } _: { server async throws in
                let provider = CountingIdentities { _ in .identity(alice) }
                let manager = NIOTransport.trusting(authority).manager(provider)
                #expect(try await manager.text("https://127.0.0.1:\(server.port)/") == "nobody")
                #expect(provider.asked.value == 0)
                #expect(other.connectionCount == 1)
            }
        }
    }
}
