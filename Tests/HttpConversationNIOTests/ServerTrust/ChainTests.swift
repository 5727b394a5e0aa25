import Foundation
import HTTPTypes
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConversationNIO

/// On every chain, each path of the transport gives the verdict of the platform's verifier (security rule S27). OpenSSL
/// and curl are compared too. `scripts/chains` prints the table.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChainTests {
    /// Gives the test's terms beforehand, and is never asked.
    private struct Terms: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.serverTrust]
        let origin: Origin
        let terms: ServerTrustTerms

        func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
            origin == self.origin ? terms : ServerTrustTerms()
        }

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer { .notHandled }
    }

    private static let paths = [
        "plain", "pinned", "another pinned", "another accepted", "private authority", "another's authority", "tunnel",
        "address",
    ]

    @Test func everyPathHasOneVerdict() async throws {
        var table = [(["chain"] + Self.paths + ["openssl", "curl"]).joined(separator: "\t")]
        for chain in try ChainCorpus.make() {
            let isGood = chain.isGood
            let verdicts = try await Self.verdicts(chain)
            for (path, verdict) in zip(Self.paths, verdicts) {
                #expect(verdict == isGood, "\(chain.title), \(path)")
            }
            let openssl = try await Self.openssl(chain)
            #expect(openssl == chain.openssl?.isGood ?? isGood, "\(chain.title), openssl")
            let curl = try await Self.curl(chain)
            #expect(curl == chain.curl?.isGood ?? chain.openssl?.isGood ?? isGood, "\(chain.title), curl")
            let words = (verdicts + [openssl, curl]).map { $0 ? "good" : "bad" }
            table.append(([chain.title] + words).joined(separator: "\t"))
            if let difference = chain.openssl ?? chain.curl { table.append("\t(\(difference.reason))") }
        }
        if let file = ProcessInfo.processInfo.environment["CHAINS_TABLE"] {
            try Data(table.joined(separator: "\n").utf8).write(to: URL(filePath: file))
        }
    }

    /// The file of trusted certificates has no root, but the server's own certificate or an intermediate.
    @Test func aFileWithoutTheRootIsNamed() async throws {
        let root = try ChainParty.authority("root")
        let intermediate = try ChainParty.authority("middle", by: root)
        let server = try ChainParty.server(by: intermediate)
        let chain = SampleChain(
            title: "no root", server: server, others: [intermediate], root: root, isGood: false)
        try await RawServer.run(tls: chain.context(), script: RawServer.answering()) { raw in
            func trusting(_ parties: [ChainParty]) async throws -> ConversationError? {
                let pem = try parties.map { try $0.pem }.joined()
                let transport = NIOTransport.make { $0.tls.trustRoots = .pem(Array(pem.utf8)) }
                let manager = HttpConversationManager(transport: transport)
                let error = await manager.failure("https://localhost:\(raw.port)/")
                await transport.shutdown()
                return error
            }
            for (party, words) in [
                (server, "the server's own certificate, but not the root"),
                (intermediate, "an intermediate certificate (CN=middle), but not the root"),
            ] {
                let error = try await trusting([party])
                #expect(error?.code == .certificateNotTrusted)
                #expect((error?.underlyingError as? ServerTrustError)?.trust.problems == [.unknownIssuer])
                #expect(error?.message.contains(words) == true, "\(error as Any)")
                #expect(error?.message.contains("damaged") == false, "\(error as Any)")
            }
            #expect(try await trusting([intermediate, root]) == nil)
        }
    }

    /// Whether each path sends its request to the server. A bad server must receive none.
    private static func verdicts(_ chain: SampleChain) async throws -> [Bool] {
        let heads = Log()
        return try await RawServer.run(tls: chain.context(), script: RawServer.answering(heads: heads)) { server in
            let origin = try Origin(scheme: .https, host: "localhost", port: server.port)
            let other = try Origin(scheme: .https, host: "localhost", port: 1)
            let root = Array(try chain.root.pem.utf8)
            let elsewhere = try TestAuthority()
            var key = ServerTrustTerms()
            key.acceptedKeys = [try chain.server.keyDigest]
            let pin = try "sha256//" + Data(chain.server.keyDigest).base64EncodedString()
            let strange = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
            let trusting = { @Sendable in NIOTransport.make { $0.tls.trustRoots = .pem(root) } }
            let url = "https://localhost:\(server.port)/"
            var verdicts = [
                await isGood(url, trusting(), []),
                await isGood(url, trusting(), [try PublicKeyPinFilter(pin)]),
                await isGood(url, trusting(), [try PublicKeyPinFilter(strange, for: [other])]),
                await isGood(url, trusting(), [Terms(origin: other, terms: key)]),
                await isGood(
                    url, NIOTransport.make { $0.tls.trustRoots = .pem(elsewhere.pem) },
                    [try PrivateAuthorityFilter(pem: root, for: [origin])]),
                await isGood(url, trusting(), [try PrivateAuthorityFilter(pem: elsewhere.pem, for: [origin])]),
            ]
            verdicts.append(
                try await TestProxy.run { proxy in
                    let route = try proxy.route(.http)
                    let transport = trusting()
                    let error = await transport.failure(.get, url) { $0.proxy = route }
                    await transport.shutdown()
                    return try verdict(error)
                })
            verdicts.append(await isGood("https://127.0.0.1:\(server.port)/", trusting(), []))
            #expect(heads.values.count == verdicts.filter { $0 }.count, "\(chain.title): requests that arrived")
            return verdicts
        }
    }

    private static func isGood(_ url: String, _ transport: NIOTransport, _ filters: [any ChallengeFilter]) async -> Bool
    {
        var configuration = HttpConversationManager.Configuration()
        for filter in filters { configuration.challengeFilters.add(filter) }
        let error = await HttpConversationManager(transport: transport, configuration: configuration).failure(url)
        await transport.shutdown()
        do { return try verdict(error) } catch {
            Issue.record(error, "\(url)")
            return false
        }
    }

    private static func verdict(_ error: ConversationError?) throws -> Bool {
        guard let error else { return true }
        // BoringSSL itself rejects a key that may not sign handshakes.
        guard
            error.code == .certificateNotTrusted || "\(String(describing: error.underlyingError))".contains("KEY_USAGE")
        else { throw error }
        return false
    }

    // MARK: Other verifiers

    private static func openssl(_ chain: SampleChain) async throws -> Bool {
        try await inFolder(chain) { folder in
            var arguments = [
                "verify", "-purpose", "sslserver", "-verify_hostname", "localhost", "-CAfile", folder + "root.pem",
            ]
            // A file without certificates would be an error.
            if !chain.others.isEmpty { arguments += ["-untrusted", folder + "others.pem"] }
            return try await Program.run("/usr/bin/env", ["openssl"] + arguments + [folder + "server.pem"]).status == 0
        }
    }

    private static func curl(_ chain: SampleChain) async throws -> Bool {
        try await RawServer.run(tls: chain.context(), script: RawServer.answering()) { server in
            try await inFolder(chain) { folder in
                let arguments = [
                    "-sS", "-q", "--noproxy", "*", "-4", "--cacert", folder + "root.pem",
                    "https://localhost:\(server.port)/",
                ]
                return try await Program.run("/usr/bin/env", ["curl"] + arguments).status == 0
            }
        }
    }

    private static func inFolder(_ chain: SampleChain, _ body: (String) async throws -> Bool) async throws -> Bool {
        let folder = try TemporaryPlace.folder("chain")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            "root.pem": try chain.root.pem, "server.pem": try chain.server.pem,
            "others.pem": try chain.others.map { try $0.pem }.joined(),
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try await body(folder.path(percentEncoded: false) + "/")
    }
}
