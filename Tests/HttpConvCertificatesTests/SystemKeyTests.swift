import Foundation
import HttpConversation
import Testing

@testable import HttpConvCertificates

/// Keys that stay in the system's keychain, as far as they are plain values.
@Suite("Keys of the system", .timeLimit(.minutes(1)))
struct SystemKeyTests {
    @Test func namesComeBack() throws {
        let key = try #require(SystemKey(reference: [0, 1, 0xFF]))
        #expect(SystemKey(signer: key.signerName) == key)
        for name in [
            "", "keychain:", "keychain:?", "pkcs11:token=a", "keychain:" + String(repeating: "A", count: 9000),
        ] {
            #expect(SystemKey(signer: name) == nil, "\(name)")
        }
        #expect(SystemKey(reference: []) == nil)
    }

    /// URL loading gets a reference to a key of the system, a file of any other that can be read, and else nothing.
    @Test func forms() throws {
        let key = try #require(SystemKey(reference: [7]))
        func signer(_ id: String) -> ClientIdentity.PrivateKey {
            .signer(KeySigner(id: id, algorithms: KeySigner.Algorithm.rsa) { _, _ in [] })
        }
        #expect(SystemKey.form(of: signer(key.signerName)) == .system(key))
        #expect(SystemKey.form(of: signer("pkcs11:token=a")) == .none)
        #expect(SystemKey.form(of: .der([1])) == .file)
    }

    @Test func algorithms() {
        #expect(SystemKey.algorithms(isRSA: true, bits: 2048) { _ in true } == KeySigner.Algorithm.rsa)
        let withoutPSS = SystemKey.algorithms(isRSA: true, bits: 2048) {
            ![.rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512].contains($0)
        }
        #expect(withoutPSS == [.rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512])
        for (bits, best) in [(256, .ecdsaSHA256), (384, .ecdsaSHA384), (521, .ecdsaSHA512)]
            as [(Int, KeySigner.Algorithm)]
        {
            let found = SystemKey.algorithms(isRSA: false, bits: bits) { _ in true }
            #expect(found.first == best && found.count == 3)
        }
        // The Secure Enclave.
        #expect(SystemKey.algorithms(isRSA: false, bits: 256) { $0 == .ecdsaSHA256 } == [.ecdsaSHA256])
        #expect(SystemKey.algorithms(isRSA: false, bits: 255) { _ in true } == [])
    }

    /// A search on macOS finds identities of every label.
    @Test func labelsChoose() async throws {
        let files = try TestCertificates()
        for name in ["alice", "bob", "again"] {
            try await files.make(name)
            try await files.openssl("x509 -in \(name).pem -outform DER -out \(name).der")
        }
        func found(_ number: UInt8, _ names: [String], _ file: String) throws -> FoundIdentity {
            FoundIdentity(
                names: names, certificate: try files.bytes("\(file).der"),
                key: try #require(SystemKey(reference: [number])))
        }
        let (alice, bob) = (try found(1, ["work", "Alice"], "alice"), try found(2, ["Bob"], "bob"))
        func choose(_ label: String, _ found: FoundIdentity...) throws -> FoundIdentity? {
            try FoundIdentity.choose(label, of: found, now: Date())
        }
        #expect(try choose("Bob", alice, bob) == bob)
        for label in ["work", "Alice"] { #expect(try choose(label, bob, alice) == alice) }
        #expect(try choose("Carol", alice, bob) == nil, "never another person's")
        #expect(try choose("", alice, bob) == nil)
        // The same certificate twice, such as in two keychains.
        #expect(try choose("work", alice, found(3, ["work"], "alice")) == alice)
        let error = #expect(throws: CertificateError.self) { try choose("work", alice, found(3, ["work"], "again")) }
        #expect(error?.code == .ambiguous)
        // A certificate that is not valid now is not chosen if there is another. Alone it is chosen, so that the error
        // is about its dates.
        let old = FoundIdentity(names: ["work"], certificate: [1], key: bob.key)
        #expect(try choose("work", old, alice) == alice)
        #expect(try choose("work", old) == old)
    }

    @Test func identitiesSignInTheirPlace() async throws {
        let key = try #require(SystemKey(reference: [7]))
        let files = try TestCertificates()
        try await files.make("own")
        try await files.openssl("x509 -in own.pem -outform DER -out own.der")
        let certificate = try files.bytes("own.der")
        let identity = try key.identity(certificates: [certificate], algorithms: [.ecdsaSHA256], now: Date()) {
            key, message, _ in
            key.reference + message
        }
        #expect(SystemKey.form(of: identity.privateKey) == .system(key))
        guard case .signer(let signer) = identity.privateKey.storage else {
            Issue.record("not a signer")
            return
        }
        #expect(try await signer.sign([1, 2], .ecdsaSHA256) == [7, 1, 2])
        func code(_ certificates: [[UInt8]], _ algorithms: [KeySigner.Algorithm], _ now: Date) -> CertificateError.Code?
        {
            do throws(CertificateError) {
                _ = try key.identity(certificates: certificates, algorithms: algorithms, now: now) { _, _, _ in [] }
                return nil
            } catch { return error.code }
        }
        #expect(code([certificate], [.ecdsaSHA256], .distantPast) == .notYetValid)
        #expect(code([certificate], [.ecdsaSHA256], .distantFuture) == .expired)
        #expect(code([certificate], [], Date()) == .unsupportedKey)
        #expect(code([], [.ecdsaSHA256], Date()) == .unreadable)
        #expect(code([[1]], [.ecdsaSHA256], Date()) != nil)
    }
}
