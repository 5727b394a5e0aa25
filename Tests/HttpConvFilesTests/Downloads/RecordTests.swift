import Foundation
import HTTPTypes
import HttpConvSystem
import HttpConversation
import Testing

@testable import HttpConvFiles

/// The checks of a record, one at a time (security rule S22).
@Suite(.timeLimit(.minutes(1))) struct RecordTests {
    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    private var target: String { bench.url("out").path(percentEncoded: false) }

    private func record(_ part: String) throws -> PartialRecord {
        let tag = try #require(EntityTag(strong: "\"v1\""))
        return PartialRecord(of: try TargetURL("https://example.com/big.iso"), tag, total: 100, part: part)
    }

    @Test(arguments: ["out./../victim.part", "out.\u{0}.part", "alt.x.part", "out.x.parts", "out.part", ".part", ""])
    func namesThatAreNotGiven(part: String) throws {
        #expect(try record(part).partPath(beside: target) == nil)
        #expect(try record("out.x.part").partPath(beside: target) == target + ".x.part")
    }

    /// The files beside a target of a long name have shorter ones, and those of similar names differ.
    @Test(arguments: ["n", "ü"]) func longNames(letter: String) throws {
        let names = ["a", "b"].map { String(repeating: letter, count: 240 / letter.utf8.count) + $0 }
        let targets = names.map { bench.url($0).path(percentEncoded: false) }
        for target in targets {
            let part = PartialRecord.split(PartialRecord.part(of: target, "0123456789abcdef")).name
            let path = PartialRecord.split(PartialRecord.path(of: target)).name
            #expect(part.utf8.count <= 255 && path.utf8.count <= 255)
            #expect(try record(String(part)).partPath(beside: target)?.hasSuffix(part) == true)
        }
        #expect(PartialRecord.path(of: targets[0]) != PartialRecord.path(of: targets[1]))
        let foreign = PartialRecord.split(PartialRecord.part(of: targets[1], "x")).name
        #expect(try record(String(foreign)).partPath(beside: targets[0]) == nil)
    }

    /// A file system without locks does not make a download another process's.
    @Test func aDownloadGoesOnWithoutLocks() throws {
        #expect(SystemCalls.tryLock(-1) == .unsupported(EBADF))
        try PartialFile.require(.unsupported(ENOLCK), target)
        try PartialFile.require(.taken, target)
        #expect(throws: ConversationError.self) { try PartialFile.require(.held, target) }
        let path = try bench.make("locked", "").path(percentEncoded: false)
        let (one, other) = (SystemCalls.open(path, O_RDWR), SystemCalls.open(path, O_RDWR))
        #expect(SystemCalls.tryLock(one) == .taken && SystemCalls.tryLock(other) == .held)
        SystemCalls.unlockAndClose(one)
        #expect(SystemCalls.tryLock(other) == .taken)
        SystemCalls.unlockAndClose(other)
    }

    @Test(arguments: ["v1", "v1\"", "\"v1", "\"", "\"\u{7F}\"", "\"" + String(repeating: "x", count: 1023) + "\""])
    func tagsThatAreNone(text: String) {
        #expect(EntityTag(strong: text) == nil)
        #expect(EntityTag(strong: "\"" + String(repeating: "x", count: 1022) + "\"") != nil)
    }

    @Test func whatIsThereTwiceSaysNothing() {
        var fields: HTTPFields = [.eTag: "\"v1\"", .contentRange: "bytes 0-9/10"]
        #expect(EntityTag(of: fields) != nil && ContentRange(of: fields) != nil)
        fields.append(HTTPField(name: .eTag, value: "\"v1\""))
        fields.append(HTTPField(name: .contentRange, value: "bytes 0-9/10"))
        #expect(EntityTag(of: fields) == nil && ContentRange(of: fields) == nil)
    }

    @Test(arguments: [("\"total\":100", "\"total\":0"), ("\"total\":100", "\"total\":-1")])
    func damage(before: String, after: String) throws {
        let text = String(decoding: try JSONEncoder().encode(record("out.x.part")), as: UTF8.self)
        try #require(text.contains(before))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PartialRecord.self, from: Data(text.replacing(before, with: after).utf8))
        }
    }

    /// A download that ends does not remove the record of the download that replaced it.
    @Test func onlyItsOwnIsTakenAway() throws {
        try RecordFile.write(try record("out.new.part"), beside: target) { "a" }
        RecordFile.remove(try record("out.old.part"), beside: target)
        #expect(bench.names == ["out.resume"])
        RecordFile.remove(try record("out.new.part"), beside: target)
        #expect(bench.names.isEmpty)
    }

    private func create(_ names: () -> String) throws -> PartialFile {
        let file = try #require(try TargetFile.find(target, names: OutputFile.randomName))
        let tag = try #require(EntityTag(strong: "\"v2\""))
        return try PartialFile.create(
            for: TargetURL("https://example.com/big.iso"), tag, total: 100, at: file, replacing: nil, names: names)
    }

    /// Two processes begin to download into one file at the same time, also if a part of an older download is there.
    @Test(arguments: [false, true]) func onlyOneOfTwoBegins(hasOld: Bool) async throws {
        if hasOld {
            try RecordFile.write(try record("out.old.part"), beside: target) { "a" }
            _ = try bench.make("out.old.part", "old", mode: 0o600)
        }
        var count = 0
        var refusal: ConversationError?
        let first = try create {
            count += 1
            if count == 1 { refusal = #expect(throws: ConversationError.self) { try create(OutputFile.randomName) } }
            return "new\(count)"
        }
        #expect(refusal?.code == .notResumable)
        #expect(refusal?.message.contains("another process") == true)
        #expect(bench.names == ["out.new1.part", "out.resume"])
        #expect(try RecordFile.read(beside: target) == first.record)
        await first.discard()
        #expect(bench.names.isEmpty)
    }

    /// A process that is ended before its download begins leaves an empty record. It is in nobody's way.
    @Test func anEmptyRecordIsNone() async throws {
        _ = try bench.make("out.resume", "", mode: 0o600)
        #expect(try RecordFile.read(beside: target) == nil)
        let file = try create(OutputFile.randomName)
        #expect(try RecordFile.read(beside: target) == file.record)
        await file.discard()
        #expect(bench.names.isEmpty)
    }

    @Test func aDownloadThatCannotBeginLeavesNoRecord() throws {
        _ = try bench.make("out.taken.part", "mine")
        #expect(throws: ConversationError.self) { try create { "taken" } }
        #expect(bench.names == ["out.taken.part"])
    }

    @Test func aPipeIsNoRecord() throws {
        try #require(mkfifo(target + ".resume", 0o600) == 0)
        let error = #expect(throws: ConversationError.self) { try RecordFile.read(beside: target) }
        #expect(error?.code == .notResumable && error?.message.contains("not a regular file") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "gives a file away")) func somebodyElsesIsNotBelieved() throws {
        try RecordFile.write(try record("out.x.part"), beside: target) { "a" }
        try #require(chown(target + ".resume", 65534, 65534) == 0)
        let error = #expect(throws: ConversationError.self) { try RecordFile.read(beside: target) }
        #expect(error?.code == .notResumable)
    }
}
