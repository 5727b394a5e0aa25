import Foundation
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct BadTargetTests {
    private let bench: DownloadBench
    private static let answer = ScriptedTransport.Answer(.ok, bytes: [UInt8](repeating: 1, count: 100_000))

    init() throws { bench = try DownloadBench() }

    @Test(arguments: ["", "folder", "none/out", "file/out", "loop"]) func nothingCanBeThere(name: String) async throws {
        _ = try bench.make("file", "mine")
        try FileManager.default.createDirectory(at: bench.url("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: bench.url("loop"), withDestinationURL: bench.url("loop"))
        let before = bench.names
        #expect(await bench.download(Self.answer, to: OutputFile(bench.url(name))) == .outputFailed)
        #expect(bench.names == before)
        #expect(bench.progress.withLock { $0 }.isEmpty)
    }

    /// Tests may run as root, which may write everywhere, so the test runs a child process as another user.
    @Test(arguments: ["readonly", "locked/out"]) func nothingMayBeThere(name: String) async throws {
        _ = try bench.make("readonly", "mine", mode: 0o444)
        let locked = bench.url("locked")
        try FileManager.default.createDirectory(at: locked, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.directory.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: locked.path)
        let path = bench.url(name).path
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
            let code = await failureCode { try await OutputFile(URL(filePath: path)).write(ResponseBody(bytes: [1])) }
            #expect(code == .outputFailed)
        }
        #expect(bench.names == ["locked", "readonly"])
        #expect(try bench.text("readonly") == "mine")
    }

    /// No new file can take its place, so a writable file is written in place, unless it is to be private.
    @Test func aWritableFileInALockedDirectory() async throws {
        let locked = bench.url("locked")
        try FileManager.default.createDirectory(at: locked, withIntermediateDirectories: false)
        let path = try bench.make("locked/there", "a longer old text", mode: 0o666).path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.directory.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: locked.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: locked.path) }
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
            let file = URL(filePath: path)
            #expect(OutputFile(file).isWrittenInPlace)
            try await OutputFile(file).write(ResponseBody(bytes: Array("new".utf8)))
            let error = await #expect(throws: ConversationError.self) {
                try await OutputFile(file, isPrivate: true).write(ResponseBody(bytes: [1]))
            }
            #expect(error?.message.contains("a new file beside") == true)
        }
        #expect(try bench.text("locked/there") == "new")
    }

    /// In a directory such as `/tmp`, another user may have put a file there to get what others write, or to change it.
    /// As root, since only root can make another user's file.
    @Test(.enabled(if: geteuid() == 0), arguments: [0o644, 0o666])
    func somebodyElsesFileInASharedDirectory(mode: Int) async throws {
        try FileManager.default.createDirectory(at: bench.url("shared"), withIntermediateDirectories: false)
        let file = try bench.make("shared/planted", "theirs", mode: mode)
        try #require(chown(file.path, 65534, 65534) == 0 && chown(bench.url("shared").path, 1, 1) == 0)
        try #require(chmod(bench.url("shared").path, 0o1777) == 0)
        let error = await #expect(throws: ConversationError.self) {
            try await OutputFile(file).write(ResponseBody(bytes: [1]))
        }
        #expect(error?.message.contains("another user's") == true)
        #expect(try bench.text("shared/planted") == "theirs")
        try await OutputFile(file, isPrivate: true).write(ResponseBody(bytes: Array("mine".utf8)))
        #expect(try bench.text("shared/planted") == "mine")
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_uid == 0)
    }

    /// Such a user may also have put a link there, to have one of our files replaced or to get what is written. As
    /// root, since only root can make another user's link.
    @Test(
        .enabled(if: geteuid() == 0),
        arguments: ["shared/planted", "over", "shared/over", "shared/all/mine", "shared/all/new"],
        [false, true])
    func somebodyElsesLinkInASharedDirectory(name: String, isPrivate: Bool) async throws {
        try FileManager.default.createDirectory(at: bench.url("shared"), withIntermediateDirectories: false)
        let file = try bench.make("mine", "mine", mode: 0o600)
        for (link, place) in [
            ("shared/planted", file.path), ("over", "shared/planted"), ("shared/over", "planted"),
            ("shared/own", file.path), ("shared/all", bench.url("").path),
        ] {
            try FileManager.default.createSymbolicLink(atPath: bench.url(link).path, withDestinationPath: place)
        }
        for link in ["planted", "all"] { try #require(lchown(bench.url("shared/\(link)").path, 65534, 65534) == 0) }
        try #require(chown(bench.url("shared").path, 1, 1) == 0 && chmod(bench.url("shared").path, 0o1777) == 0)
        let error = await #expect(throws: ConversationError.self) {
            try await OutputFile(bench.url(name), isPrivate: isPrivate).write(ResponseBody(bytes: [1]))
        }
        #expect(error?.code == .outputFailed && error?.message.contains("follow the link") == true)
        #expect(try bench.text("mine") == "mine")
        #expect(!FileManager.default.fileExists(atPath: bench.url("new").path))
        // A link of one's own is followed, and so is one of the directory's owner.
        try await OutputFile(bench.url("shared/own"), isPrivate: isPrivate).write(ResponseBody(bytes: Array("1".utf8)))
        #expect(try bench.text("mine") == "1")
        for link in ["planted", "all"] { try #require(lchown(bench.url("shared/\(link)").path, 1, 1) == 0) }
        try await OutputFile(bench.url(name), isPrivate: isPrivate).write(ResponseBody(bytes: Array("2".utf8)))
        #expect(try bench.text(name.hasSuffix("new") ? "new" : "mine") == "2")
    }

    /// Somebody else's file stays theirs, where this process may write it but cannot give a new file to them. As root:
    /// others find a file of their own.
    @Test func aWritableFileOfSomebodyElse() async throws {
        let path = try bench.make("theirs", "old", mode: 0o666).path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.directory.path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
            var (before, after) = (stat(), stat())
            try #require(stat(path, &before) == 0)
            try await OutputFile(URL(filePath: path)).write(ResponseBody(bytes: Array("new".utf8)))
            try #require(stat(path, &after) == 0)
            #expect(before.st_uid == after.st_uid && before.st_mode == after.st_mode)
        }
        #expect(bench.names == ["theirs"])
        #expect(try bench.text("theirs") == "new")
    }

    /// The process's limit on file sizes stands for a full disk.
    @Test func aDiskWithoutRoomForAllOfIt() async throws {
        let path = try bench.make("out", "old").path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try FileSizeLimit.set(50_000)
            let error = await #expect(throws: ConversationError.self) {
                try await OutputFile(URL(filePath: path)).write(
                    ResponseBody(bytes: [UInt8](repeating: 1, count: 100_000)))
            }
            #expect(error?.code == .outputFailed)
        }
        #expect(bench.names == ["out"])
        #expect(try bench.text("out") == "old")
    }
}
