import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import TestSupport
import Testing

@testable import HttpConvAuthFlows

@Suite("Digest credential", .timeLimit(.minutes(1)))
struct DigestCredentialTests {
    private static let login = UsernamePassword(username: "alice", password: "wonder")

    private func credential(
        _ parameters: String, _ login: UsernamePassword = login, nonces: NonceCounts = NonceCounts(),
        at url: String = "http://127.0.0.1/dir/index.html"
    ) throws -> DigestCredential {
        let challenge = try Challenges.make("Digest realm=\"r\", \(parameters)", at: url)
        return try #require(try DigestCredential(login, for: challenge, nonces: nonces))
    }

    @Test(arguments: [
        "realm=\"r\"",
        "nonce=\"n\"",
        "realm=\"r\", nonce=\"n\", algorithm=SHA-1",
        "realm=\"r\", nonce=\"n\", algorithm=\"\"",
        "realm=\"r\", nonce=\"n\", qop=\"auth-conf\"",
    ])
    func challengesThatCannotBeAnswered(_ parameters: String) throws {
        let challenge = try Challenges.make("Digest \(parameters)")
        #expect(try DigestCredential(Self.login, for: challenge, nonces: NonceCounts()) == nil)
        let known = try credential("nonce=\"n\"")
        #expect(known.answering(challenge) == nil)
    }

    @Test(arguments: [
        "MD5", "md5", "MD5-sess", "SHA-256", "sha-256-SESS", "SHA-512-256", "SHA-512-256-sess", "\"SHA-256\"",
    ])
    func knownAlgorithms(_ name: String) async throws {
        let value = try await credential("nonce=\"n\", qop=auth, algorithm=\(name)")
            .authorization(for: Challenges.request())
        #expect(value.contains(", algorithm=\(name.filter { $0 != "\"" }), "))
    }

    @Test func userNamesAreQuotedAsTheyAre() async throws {
        let login = UsernamePassword(username: "a\"b\\c\u{f6}\u{4f60}", password: "p")
        let value = try await credential("nonce=\"n\", charset=UTF-8", login)
            .authorization(for: Challenges.request())
        #expect(value.hasPrefix("Digest username=\"a\\\"b\\\\c\u{f6}\u{4f60}\", realm="))
        #expect(!value.contains("username*"))
        let field = try HTTPField(checking: "Authorization", value)
        #expect(field.value == value)
    }

    @Test func realmsWithQuotationMarksComeBackAsTheyWere() async throws {
        let challenge = try Challenges.make(#"Digest realm="the \"inner\" \\ circle", nonce="n""#)
        let credential = try #require(try DigestCredential(Self.login, for: challenge, nonces: NonceCounts()))
        let value = try await credential.authorization(for: Challenges.request())
        #expect(value.contains(#"realm="the \"inner\" \\ circle""#))
    }

    @Test(arguments: ["a\r\nX: y", "a\u{0}b", "a\u{7f}", "a\u{85}b"])
    func controlCharactersAreRefused(_ text: String) throws {
        let challenge = try Challenges.make("Digest realm=\"r\", nonce=\"n\"")
        let error = #expect(throws: ConversationError.self) {
            try DigestCredential(
                UsernamePassword(username: text, password: "p"), for: challenge, nonces: NonceCounts())
        }
        #expect(error?.code == .authenticationFailed)
    }

    // MARK: Counting

    @Test func countsAreUniqueUnderParallelism() async throws {
        let nonces = NonceCounts()
        // Two credentials with the same nonce must not repeat each other's counts.
        let credentials = try [
            credential("nonce=\"n\", qop=auth", nonces: nonces), credential("nonce=\"n\", qop=auth", nonces: nonces),
        ]
        let request = try Challenges.request()
        let counts = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let value = try await credentials[index % 2].authorization(for: request)
                    return DigestServer.fields(of: value)["nc"] ?? ""
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(counts).count == 1000)
        #expect(counts.allSatisfy { $0.count == 8 })
        #expect(counts.max() == "000003e8")
    }

    @Test func theOldestNoncesAreForgottenOnly() throws {
        let nonces = NonceCounts(capacity: 4)
        let space = try Challenges.make("Digest realm=\"r\", nonce=\"n\"").space
        for nonce in ["a", "b", "c", "d", "e"] { _ = nonces.use(nonce, in: space) }
        #expect(nonces.use("d", in: space).count == 2)
        #expect(nonces.use("e", in: space).count == 2)
        #expect(nonces.use("a", in: space).count == 1)
    }

    @Test func clientNoncesAreNew() async throws {
        let credential = try credential("nonce=\"n\", qop=auth")
        var seen: Set<String> = []
        for _ in 0..<50 {
            let value = try await credential.authorization(for: Challenges.request())
            seen.insert(DigestServer.fields(of: value)["cnonce"] ?? "")
        }
        #expect(seen.count == 50)
        #expect(seen.allSatisfy { $0.count == 32 })
    }

    @Test func aSessionKeepsItsClientNonce() async throws {
        let credential = try credential("nonce=\"n\", qop=auth, algorithm=MD5-sess")
        let first = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        let second = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        #expect(first["cnonce"] == second["cnonce"])
        #expect((first["nc"], second["nc"]) == ("00000001", "00000002"))
    }

    // MARK: Authentication-Info

    private func info(_ value: String) throws -> HTTPResponse {
        let name = try #require(HTTPField.Name("Authentication-Info"))
        return HTTPResponse(status: .ok, headerFields: [name: value])
    }

    @Test func nextNonceIsTakenUp() async throws {
        let credential = try credential("nonce=\"n\", qop=auth")
        _ = try await credential.authorization(for: Challenges.request())
        credential.received(try info("nextnonce=\"m\""))
        let fields = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        #expect((fields["nonce"], fields["nc"]) == ("m", "00000001"))
    }

    /// A header field has U+FFFD in the place of bytes that are not UTF-8.
    @Test(arguments: ["", "m\u{FFFD}"]) func aNextNonceThatCannotBeSentBackIsIgnored(next: String) async throws {
        let credential = try credential("nonce=\"n\", qop=auth")
        _ = try await credential.authorization(for: Challenges.request())
        credential.received(try info("nextnonce=\"\(next)\""))
        let fields = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        #expect((fields["nonce"], fields["nc"]) == ("n", "00000002"))
    }

    @Test func aRightProofIsBelievedAndAWrongOneIsNot() async throws {
        let credential = try credential("nonce=\"n\", qop=auth, algorithm=MD5")
        let algorithm = try #require(DigestAlgorithm("MD5"))
        let sent = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        let cnonce = try #require(sent["cnonce"])
        let key = algorithm.hex("alice:r:wonder")
        let proof = algorithm.hex("\(key):n:00000001:\(cnonce):auth:\(algorithm.hex(":/dir/index.html"))")
        let rest = "qop=auth, cnonce=\"\(cnonce)\", nc=00000001"

        credential.received(try info("nextnonce=\"wrong\", rspauth=\"\(String(proof.reversed()))\", \(rest)"))
        var fields = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        #expect(fields["nonce"] == "n")
        credential.received(try info("nextnonce=\"right\", rspauth=\"\(proof)\", \(rest)"))
        fields = DigestServer.fields(of: try await credential.authorization(for: Challenges.request()))
        #expect(fields["nonce"] == "right")
    }

    // MARK: Coverage

    @Test(arguments: [
        ("", "/anything/else?x", true),
        (", domain=\"\"", "/anything/else", true),
        (", domain=\"/private /other/\"", "/private", true),
        (", domain=\"/private /other/\"", "/private?x=y", true),
        (", domain=\"/private /other/\"", "/private/x", true),
        (", domain=\"/private /other/\"", "/privateer", false),
        (", domain=\"/private /other/\"", "/other", false),
        (", domain=\"/private /other/\"", "/other/x/y", true),
        (", domain=\"/private\"", "/private/../public", false),
        (", domain=\"/private\"", "/private/%2E%2e/public", false),
        (", domain=\"http://127.0.0.1/a\"", "/a/b", true),
        (", domain=\"http://elsewhere.example/a\"", "/a/b", false),
        (", domain=\"http://elsewhere.example/a /c\"", "/c", true),
    ])
    func coverage(_ parameters: String, _ path: String, _ isCovered: Bool) throws {
        let credential = try credential("nonce=\"n\"\(parameters)")
        #expect(credential.covers(try TargetURL("http://127.0.0.1\(path)")) == isCovered)
        for other in ["https://127.0.0.1", "http://127.0.0.1:81", "http://elsewhere.example"] {
            #expect(!credential.covers(try TargetURL(other + path)))
        }
    }

    // MARK: Bodies

    @Test func fileAndStreamHashLikeBytes() async throws {
        let bytes = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let file = TemporaryPlace.unused("digest")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = RequestBody.stream(length: bytes.count) {
            let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
            for start in stride(from: 0, to: bytes.count, by: 999) {
                continuation.yield(Array(bytes[start..<min(bytes.count, start + 999)]))
            }
            continuation.finish()
            return RequestBodyStream(chunks)
        }
        let algorithm = try #require(DigestAlgorithm("SHA-256"))
        let space = try Challenges.make("Digest realm=\"r\", nonce=\"n\"").space
        let expected = try await DigestBodyHash.hex(.bytes(bytes), algorithm, for: space)
        #expect(try await DigestBodyHash.hex(.file(file), algorithm, for: space) == expected)
        #expect(try await DigestBodyHash.hex(stream, algorithm, for: space) == expected)
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(try await DigestBodyHash.hex(nil, algorithm, for: space) == empty)
        await #expect(throws: ConversationError.self) {
            try await DigestBodyHash.hex(.file(file.appending(path: "missing")), algorithm, for: space)
        }
    }

    @Test func oneShotBodiesCannotBePartOfTheProof() async throws {
        let body = RequestBody.oneShot(RequestBodyStream { nil })
        let request = try Challenges.request("http://127.0.0.1/u", .put, body: body)
        let error = await #expect(throws: ConversationError.self) {
            try await credential("nonce=\"n\", qop=\"auth-int\"").authorization(for: request)
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(body.isReplayable)
        let either = try await credential("nonce=\"n\", qop=\"auth-int, auth\"").authorization(for: request)
        #expect(either.contains("qop=auth,"))
    }

    // MARK: Sameness

    @Test func sameSecret() throws {
        let credential = try credential("nonce=\"n\"")
        #expect(credential.hasSameSecret(as: try self.credential("nonce=\"m\", algorithm=SHA-256")))
        #expect(
            !credential.hasSameSecret(as: try self.credential("nonce=\"n\"", .init(username: "alice", password: "x"))))
        #expect(
            !credential.hasSameSecret(
                as: try self.credential("nonce=\"n\"", .init(username: "bob", password: "wonder"))))
        let basic = try BasicCredential(
            Self.login, for: Challenges.make("Basic realm=\"r\""), persistence: .session)
        #expect(!credential.hasSameSecret(as: basic))
    }
}
