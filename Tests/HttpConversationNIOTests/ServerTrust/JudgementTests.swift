import Crypto
import Foundation
import HTTPTypes
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import NIOSSL
import Testing

@testable import HttpConversationNIO

/// The influence of filters on the verdict about a server, and its scope.
@Suite(.serialized, .timeLimit(.minutes(1))) struct JudgementTests {
    /// Trusts any certificate, at one origin.
    private struct Trusting: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.serverTrust]
        let origin: Origin
        let asked = Counter()

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            asked.add()
            // The server continues meanwhile.
            for _ in 0..<200 { await Task.yield() }
            return challenge.target.origin == origin ? .trust : .notHandled
        }
    }

    /// Knows an accepted key beforehand.
    private struct Known: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.serverTrust]
        let origin: Origin
        let key: [UInt8]

        func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
            var terms = ServerTrustTerms()
            if origin == self.origin { terms.acceptedKeys = [key] }
            return terms
        }

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer { .notHandled }
    }

    private static func manager(
        _ transport: NIOTransport, _ filters: any ChallengeFilter...
    ) -> HttpConversationManager {
        return testManager(transport) { for filter in filters { $0.challengeFilters.add(filter) } }
    }

    /// Runs a server that answers each request with "secure", for a client that sends to the URL.
    private static func serving(
        _ tls: NIOSSLContext,
        _ body: @Sendable (_ server: RawServer, _ origin: Origin, _ url: String) async throws -> Void
    ) async throws {
        try await RawServer.run(tls: tls, script: RawServer.answering()) { server in
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            try await body(server, origin, "https://localhost:\(server.port)/")
        }
    }

    private static func redirecting(to url: String) -> RawServer.Script {
        { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 302 Found\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    private static func isSecure(_ error: ConversationError?) -> Bool { error?.code == .certificateNotTrusted }

    /// Accepting one server does not accept the server that it redirects to.
    @Test(arguments: [true, false]) func anAcceptedServerDoesNotAdmitAnImpostor(isKnown: Bool) async throws {
        let heads = Log()
        let known = try ChainParty.authority("known")
        let mail = try ChainParty.authority("mail", by: known, purposes: [.emailProtection])
        let impostor = SampleChain(
            title: "impostor", server: try .server(by: mail), others: [mail], root: known, isGood: false)
        try await RawServer.run(tls: impostor.context()) { connection in
            heads.append(try await connection.readHead())
            try await connection.respond("stolen")
        } _: { server in
            let own = try ChainParty.server(by: nil)
            let accepted = SampleChain(title: "accepted", server: own, root: own, isGood: false)
            let url = "https://localhost:\(server.port)/"
            try await RawServer.run(tls: accepted.context(), script: Self.redirecting(to: url)) { first in
                let origin = try Origin(scheme: .https, host: "127.0.0.1", port: first.port)
                let transport = NIOTransport.make { $0.tls.trustRoots = .pem(Array((try? known.pem.utf8) ?? "".utf8)) }
                let filter: any ChallengeFilter =
                    isKnown ? Known(origin: origin, key: try own.keyDigest) : Trusting(origin: origin)
                let error = await Self.manager(transport, filter).failure("https://127.0.0.1:\(first.port)/")
                #expect(Self.isSecure(error), "\(String(describing: error))")
                #expect((error?.underlyingError as? ServerTrustError)?.origin.host == "localhost")
                #expect(heads.values.isEmpty)
                await transport.shutdown()
            }
        }
    }

    @Test func anAcceptedKeyIsComparedExactly() async throws {
        let own = try ChainParty.server(by: nil)
        let chain = SampleChain(title: "own", server: own, root: own, isGood: false)
        try await Self.serving(chain.context()) { _, origin, url async throws in
            let transport = NIOTransport.trusting(try TestAuthority())
            #expect(try await Self.manager(transport, Known(origin: origin, key: own.keyDigest)).text(url) == "secure")
            var other = try own.keyDigest
            other[31] ^= 1
            #expect(Self.isSecure(await Self.manager(transport, Known(origin: origin, key: other)).failure(url)))
            // A pin also applies to an accepted key.
            let pin = try PublicKeyPinFilter("sha256//" + Data(other).base64EncodedString())
            let both = await Self.manager(transport, Known(origin: origin, key: try own.keyDigest), pin).failure(url)
            #expect(both?.code == .publicKeyNotPinned)
            await transport.shutdown()
        }
    }

    /// A known server that now has a good certificate with another key.
    @Test func aChangedKeyWithAGoodCertificateIsVerified() async throws {
        let authority = try TestAuthority()
        try await Self.serving(authority.serverContext()) { server, origin, url async throws in
            let transport = NIOTransport.trusting(authority)
            let manager = Self.manager(transport, Known(origin: origin, key: Array(repeating: 7, count: 32)))
            for _ in 0..<3 { #expect(try await manager.text(url) == "secure") }
            // One connection with the wrong key, and one that serves.
            #expect(server.connectionCount == 2)
            await transport.shutdown()
        }
    }

    /// A trusting filter is asked once, after BoringSSL has refused. Then the key is accepted.
    @Test func aFilterTrustsAKey() async throws {
        let own = try ChainParty.server(by: nil)
        let chain = SampleChain(title: "own", server: own, root: own, isGood: false)
        try await Self.serving(chain.context()) { server, origin, url async throws in
            let transport = NIOTransport.trusting(try TestAuthority())
            let manager = Self.manager(transport, Trusting(origin: origin))
            for _ in 0..<3 { #expect(try await manager.text(url) == "secure") }
            // Three connections: refused, diagnosed, accepted.
            #expect(server.connectionCount == 3)
            #expect(Self.isSecure(await Self.manager(transport).failure(url)))
            await transport.shutdown()
        }
    }

    /// Filters are asked about every server before a byte of a request, even without verification. An HTTP/2 server
    /// speaks first, under TLS 1.2 at once.
    @Test(arguments: [false, true], [false, true])
    func filtersAreAskedBeforeTheRequest(isHTTP2: Bool, verifies: Bool) async throws {
        let authority = try TestAuthority()
        let server = MutualServer(authority: authority, version: .tls12, isOptional: true, isHTTP2: isHTTP2)
        try await server.run { server in
            let url = "https://localhost:\(server.port)/"
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            let transport = NIOTransport.make {
                $0.tls.trustRoots = .pem(authority.pem)
                $0.tls.verifiesCertificates = verifies
            }
            let filter = Trusting(origin: origin)
            #expect(try await Self.manager(transport, filter).text(url) == "nobody")
            #expect(filter.asked.value == 1)
            let policy = ServerTrustPolicy { _, _ in throw ConversationError(.publicKeyNotPinned, "no") }
            let error = await transport.failure(.get, url) { $0.serverTrust = policy }
            #expect(error?.code == .publicKeyNotPinned, "\(String(describing: error))")
            await transport.shutdown()
        }
    }
}
