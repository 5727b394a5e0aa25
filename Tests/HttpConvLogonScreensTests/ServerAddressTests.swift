import Foundation
import HttpConvLogon
import HttpConvLogonScreens
import HttpConversation
import Testing

/// The configuration screen, and the storage of its answer.
@Suite(.timeLimit(.minutes(1))) struct ServerAddressTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "address-\(UUID().uuidString)")
    private var storage: FileServerAddressStorage { FileServerAddressStorage(in: directory) }
    private var file: String { directory.appending(path: "server-address").path }

    private func dialogue(_ view: ScriptedView) -> ServerAddressDialogue {
        ServerAddressDialogue(
            application: "Sales", view: view, storage: storage, multiplexer: UserInteractionMultiplexer())
    }

    private func entered(_ text: String) -> LogonScreenAnswer { LogonScreenAnswer(.proceed, [.serverAddress: text]) }

    private func removingDirectory(_ body: () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body()
    }

    @Test(
        arguments: [
            ("mobile.example.com", "https://mobile.example.com/"), (" https://m.example/a ", "https://m.example/a"),
            ("m.example:8443", "https://m.example:8443/"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ]) func askedOnce(text: String, address: String) async throws
    {
        try await removingDirectory {
            let view = ScriptedView(entered(text))
            #expect(try await dialogue(view).address().absoluteString == address)
            #expect(view.kinds == [.configuration])
            #expect(view.closings == 1)
            let later = ScriptedView()
            #expect(try await dialogue(later).address().absoluteString == address)
            #expect(later.kinds.isEmpty)
            #expect(try permissions(directory.path) == 0o700)
            #expect(try permissions(file) == 0o600)
            let change = ScriptedView(entered("other.example.com"))
            #expect(try await dialogue(change).change().absoluteString == "https://other.example.com/")
            #expect(change.screens[0][.serverAddress]?.value == address)
            try storage.keep(nil)
            let kept = try storage.address()
            #expect(kept == nil)
        }
    }

    @Test(arguments: ["ftp://a.example", "a b", "", "https://u:canary@a.example", "a.example/?x", "a.example/#x"])
    func invalidAddresses(text: String) async throws {
        try await removingDirectory {
            let view = ScriptedView(entered(text), .cancelled)
            let error = await #expect(throws: LogonError.self) { _ = try await dialogue(view).address() }
            #expect(error?.code == .operationCancelled)
            #expect(view.screens.last?.problem.hasPrefix("The server's address cannot be used") == true)
            #expect(view.screens.last?.problem.contains("canary") == false)
            let kept = try storage.address()
            #expect(kept == nil, "nothing is remembered")
        }
    }

    @Test func aHostAndAPathForTheRegistration() throws {
        var options = LogonOptions()
        options.registration.take(try TargetURL("http://mobile.example.com:8080/a/b/"))
        #expect(options.registration.serverHost == "mobile.example.com")
        #expect(options.registration.port == 8080)
        #expect(!options.registration.isHTTPS)
        #expect(options.registration.resourcePath == "a/b")
    }

    /// Files that others could have written are rejected: the address decides which server gets passwords.
    @Test(arguments: ["readable", "link", "text", "directory"]) func unsafeAddressFilesAreRefused(what: String)
        async throws
    {
        try await removingDirectory {
            try storage.keep(try TargetURL("https://mobile.example.com/"))
            switch what {
            case "readable": #expect(chmod(file, 0o644) == 0)
            case "link":
                #expect(rename(file, file + ".other") == 0)
                #expect(symlink(file + ".other", file) == 0)
            case "text": try Data("no address".utf8).write(to: URL(filePath: file))
            default: #expect(chmod(directory.path, 0o755) == 0)
            }
            let view = ScriptedView(entered("mobile.example.com"))
            let error = await #expect(throws: LogonError.self) { _ = try await dialogue(view).address() }
            #expect(error?.code == .operationNotAllowed)
            #expect(error?.message.hasPrefix("The file that remembers the server's address cannot be read") == true)
            #expect(view.kinds.isEmpty)
        }
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
