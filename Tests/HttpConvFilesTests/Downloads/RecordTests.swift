import Foundation
import HTTPTypes
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
