import Foundation
import HttpConvCertificates
import HttpConversation
import HttpConversationTesting
import Testing

/// An identity in a file that is replaced while the process goes on, as certificates of a day are.
@Suite(.timeLimit(.minutes(1))) struct FileProviderTests {
    private let files: TestCertificates
    private let questions = Questions()

    /// Counts the questions for a passphrase.
    private actor Questions {
        private(set) var count = 0
        func ask() -> String {
            count += 1
            return TestCertificates.passphrase
        }
    }

    init() throws { files = try TestCertificates() }

    private func subject(_ provider: IdentityFileProvider, refused: Int = 0) async throws -> String? {
        let answer = try await provider.identity(
            for: .testing(clientCertificateAt: "https://sp.example/", previousFailureCount: refused))
        return if case .identity(let identity) = answer { identity.summary.subject } else { nil }
    }

    /// Puts a file in the place of another one, as a renewal does.
    private func replace(_ name: String, by other: String) throws {
        try Data(files.bytes(other)).write(to: files.directory.appending(path: name), options: .atomic)
    }

    @Test(arguments: [false, true]) func aReplacedFileIsRead(isRefused: Bool) async throws {
        for name in ["old", "new"] { try await files.make(name) }
        let (file, key) = (files.directory.appending(path: "old.pem"), files.directory.appending(path: "old.key"))
        let provider = IdentityFileProvider(file: file, format: .pem(key: key))
        #expect(try await subject(provider) == "CN=old")
        // The same certificate again, which the engine does not send twice.
        #expect(try await subject(provider, refused: 1) == "CN=old")
        try replace("old.key", by: "new.key")
        if isRefused {
            // Certificate and key do not match.
            await #expect(throws: ConversationError.self) { try await subject(provider, refused: 1) }
        } else {
            #expect(try await subject(provider) == "CN=old")
        }
        try replace("old.pem", by: "new.pem")
        #expect(try await subject(provider, refused: isRefused ? 1 : 0) == "CN=new")
    }

    /// A refusal alone is no reason to ask for the passphrase again.
    @Test func aFileThatStaysIsOpenedOnce() async throws {
        for name in ["old", "new"] {
            try await files.make(name)
            try await files.openssl(
                "pkcs12 -export -in \(name).pem -inkey \(name).key -out \(name).p12 -passout",
                ["pass:\(TestCertificates.passphrase)"])
        }
        let provider = IdentityFileProvider(
            file: files.directory.appending(path: "old.p12"), format: .pkcs12
        ) { [questions] _, _ in await questions.ask() }
        for refused in [0, 0, 1, 2] { #expect(try await subject(provider, refused: refused) == "CN=old") }
        #expect(await questions.count == 1)
        try replace("old.p12", by: "new.p12")
        #expect(try await subject(provider) == "CN=new")
        #expect(await questions.count == 2)
    }

    @Test func aFileThatIsGoneLeavesTheIdentity() async throws {
        try await files.make("old")
        try await files.openssl("pkcs12 -export -in old.pem -inkey old.key -out old.p12 -passout pass:")
        let file = files.directory.appending(path: "old.p12")
        let provider = IdentityFileProvider(file: file, format: .pkcs12)
        #expect(try await subject(provider) == "CN=old")
        try FileManager.default.removeItem(at: file)
        #expect(try await subject(provider) == "CN=old")
        await #expect(throws: ConversationError.self) { try await subject(provider, refused: 1) }
    }
}
