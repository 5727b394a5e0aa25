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
