import Foundation
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@Suite struct OutputFileTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? []
    }

    @Test func theFileAppearsWhole() async throws {
        let file = directory.appending(path: "out")
        try await OutputFile(file).write(ResponseBody(bytes: Array("hello".utf8)))
        #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
        #expect(names == ["out"])
    }

    /// A name may have as many bytes as the file system allows, and the drafts beside it have longer endings.
    @Test(arguments: [String(repeating: "n", count: 255), String(repeating: "ü", count: 127)])
    func theNameMayBeLong(name: String) async throws {
        let file = directory.appending(path: name)
        for text in ["first", "second"] {
            try await OutputFile(file).write(ResponseBody(bytes: Array(text.utf8)))
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            #expect(names == [name])
        }
    }

    @Test func aCutBodyLeavesTheOldFile() async throws {
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(await failureCode { try await OutputFile(file).write(ResponseBody(CutBody())) } == .bodyCut)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        #expect(names == ["out"])
    }

    @Test func modeAndSymbolicLinkAreKept() async throws {
        let target = directory.appending(path: "target")
        let link = directory.appending(path: "link")
        try Data("old".utf8).write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        try await OutputFile(link).write(ResponseBody(bytes: Array("new".utf8)))
        #expect(try String(contentsOf: target, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(arguments: ["none", "link"]) func aLinkThatLeadsNowhereIsNotReplaced(target: String) async throws {
        let link = directory.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.appending(path: target))
        #expect(
            await failureCode { try await OutputFile(link).write(ResponseBody(bytes: [1, 2, 3])) } == .outputFailed)
        #expect(names == ["link"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("/\(target)"))
    }

    @Test func devicesAreWrittenInPlace() async throws {
        try await OutputFile(URL(filePath: "/dev/null")).write(ResponseBody(bytes: [1, 2, 3]))
        let error = await #expect(throws: ConversationError.self) {
            try await OutputFile(URL(filePath: "/dev/full")).write(ResponseBody(bytes: [1, 2, 3]))
        }
        #expect(error?.code == .outputFailed)
        #expect(FileManager.default.fileExists(atPath: "/dev/full"))
    }

    /// Another program writes to the file behind a descriptor, before and after us.
    @Test(arguments: [0, O_APPEND]) func anOpenDescriptorIsNotReplaced(flags: Int32) async throws {
        let file = directory.appending(path: "log")
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | flags, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(write(descriptor, "start ", 6) == 6)
        let output = OutputFile(URL(filePath: "/dev/fd/\(descriptor)"))
        #expect(output.isWrittenInPlace)
        try await output.write(ResponseBody(bytes: Array("body ".utf8)))
        try await OutputFile.appending(to: URL(filePath: "/dev/fd/\(descriptor)")).write(
            ResponseBody(bytes: Array("more ".utf8)))
        #expect(write(descriptor, "end", 3) == 3)
        #expect(try String(contentsOf: file, encoding: .utf8) == "start body more end")
        #expect(names == ["log"])
        #expect(!OutputFile(directory.appending(path: "new")).isWrittenInPlace)
    }

    /// A connection, for example.
    @Test func aDescriptorOfOurOwnIsRefused() async throws {
        let file = directory.appending(path: "own")
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        for output in [
            OutputFile(URL(filePath: "/dev/fd/\(descriptor)")), .appending(to: URL(filePath: "/dev/fd/\(descriptor)")),
        ] {
            let error = await #expect(throws: ConversationError.self) {
                try await output.write(ResponseBody(bytes: [1]))
            }
            #expect(error?.code == .outputFailed)
        }
        #expect(try Data(contentsOf: file).isEmpty && names == ["own"])
    }

    /// Its own name leads to standard output as well.
    @Test(arguments: ["/dev/stdout", "log"]) func standardOutputIsNotReplaced(name: String) async throws {
        let log = directory.appending(path: "log").path
        let path = name == "log" ? log : name
        await #expect(processExitsWith: .success) { [log = log as String, path = path as String] in
            let before = dup(1)
            try #require(dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0o644), 1) == 1)
            #expect(write(1, "start ", 6) == 6)
            try await OutputFile(URL(filePath: path)).write(ResponseBody(bytes: Array("body ".utf8)))
            #expect(write(1, "end", 3) == 3)
            // The process itself writes there when it ends.
            #expect(dup2(before, 1) == 1)
        }
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "start body end")
    }

    /// As root: other users cannot give a file away.
    @Test func theOwnerIsKept() async throws {
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(file.path, 65534, 65534) == 0) }
        #expect(chmod(file.path, 0o604) == 0)
        let before = try status(of: file)
        try await OutputFile(file).write(ResponseBody(bytes: Array("new".utf8)))
        let after = try status(of: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
        #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid && after.st_mode == before.st_mode)
        #expect(after.st_ino != before.st_ino)
        try await OutputFile(file, isPrivate: true).write(ResponseBody(bytes: Array("secret".utf8)))
        let secret = try status(of: file)
        #expect(secret.st_uid == geteuid() && secret.st_mode & 0o777 == 0o600)
    }

    /// Bytes of the network never run as a file's owner or its group.
    @Test(arguments: [0o4755, 0o2755, 0o6711] as [mode_t])
    func aFileThatRunsAsItsOwnerBecomesAPlainOne(mode: mode_t) async throws {
        let file = directory.appending(path: "tool")
        try Data("old".utf8).write(to: file)
        #expect(chmod(file.path, mode) == 0)
        try #require(try status(of: file).st_mode & 0o7777 == mode)
        try await OutputFile(file).write(ResponseBody(bytes: Array("new".utf8)))
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
        #expect(try status(of: file).st_mode & 0o7777 == mode & 0o777)
    }

    private func status(of file: URL) throws -> stat {
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        return status
    }

    /// Two processes that share a cookie jar, for example.
    @Test(arguments: [true, false]) func theLastWriterWins(exists: Bool) async throws {
        let file = directory.appending(path: "jar")
        if exists { try Data("old".utf8).write(to: file) }
        let output = OutputFile(file, isPrivate: true, lastWriterWins: true)
        let first = try await output.open()
        try await first.write(Array("first".utf8))
        try await output.write(ResponseBody(bytes: Array("second".utf8)))
        #expect(try String(contentsOf: file, encoding: .utf8) == "second")
        try await first.complete()
        #expect(try String(contentsOf: file, encoding: .utf8) == "first")
        #expect(names == ["jar"])
    }

    @Test func aMissingDirectoryIsATypedError() async throws {
        let error = await #expect(throws: ConversationError.self) {
            try await OutputFile(directory.appending(path: "none/out")).write(ResponseBody())
        }
        #expect(error?.code == .outputFailed)
    }

    /// The mode is that of a file which was created directly.
    @Test func aNewFileGetsTheModeOfAnyOther() async throws {
        let other = directory.appending(path: "other").path
        let descriptor = open(other, O_WRONLY | O_CREAT | O_EXCL, 0o666)
        #expect(descriptor >= 0 && close(descriptor) == 0)
        let file = directory.appending(path: "out")
        try await OutputFile(file).write(ResponseBody(bytes: [1]))
        let modes = try [other, file.path].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(modes[0] == modes[1])
    }

    /// An existing file and one that appears meanwhile are not replaced, nor is a dangling link.
    @Test func whatIsThereStays() async throws {
        let sink = OutputFile(directory.appending(path: "out"), replacesFiles: false)
        let first = try await sink.open()
        try await first.write([1])
        try Data("mine".utf8).write(to: directory.appending(path: "out"))
        #expect(await failureCode { try await first.complete() } == .outputFailed)
        #expect(try String(contentsOf: directory.appending(path: "out"), encoding: .utf8) == "mine")
        #expect(await failureCode { try await sink.open() } == .outputFailed)
        try FileManager.default.createSymbolicLink(
            atPath: directory.appending(path: "link").path, withDestinationPath: "nowhere")
        await #expect(throws: ConversationError.self) {
            try await OutputFile(directory.appending(path: "link"), replacesFiles: false).open()
        }
        let other = try await OutputFile(directory.appending(path: "other"), replacesFiles: false).open()
        try await other.write(Array("new".utf8))
        try await other.complete()
        #expect(try String(contentsOf: directory.appending(path: "other"), encoding: .utf8) == "new")
        #expect(names == ["link", "other", "out"])
    }
}

private final class CutBody: TransportBody {
    private let first = Atomic(true)

    func next() async throws(ConversationError) -> [UInt8]? {
        guard first.exchange(false, ordering: .relaxed) else { throw ConversationError(.bodyCut, "cut") }
        return [1, 2, 3]
    }

    func cancel() {}
}
