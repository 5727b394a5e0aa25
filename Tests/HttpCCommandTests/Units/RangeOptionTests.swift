import HttpC
import HttpConversationTesting
import Testing

@testable import HttpCCommand

/// -r: which parts of a body are the asked ones (RFC 9110 §15.3.7).
@Suite(.timeLimit(.minutes(1))) struct RangeOptionTests {
    private func isTaken(_ range: String, _ fields: HTTPFields) async throws -> Bool {
        let transport = ScriptedTransport { _, _ in .init(.partialContent, fields, body: "x") }
        let stream = try await HttpConversationManager(transport: transport).bytes(for: "https://example.com/")
        do throws(ConversationError) { return try RangeOption.check(stream, range) == nil } catch { return false }
    }

    @Test(
        arguments: [
            ("0-99", "0-99/1000", true), ("0-99", "0-49/1000", true), ("0-99", "0-199/1000", false),
            ("0-99", "1-99/1000", false), ("-100", "900-999/1000", true), ("-100", "900-999/*", false),
            ("0-99,100-199", "100-199/1000", true), ("0-99,300-399", "300-399/1000", true),
            // The server may join ranges.
            ("0-99,100-199", "0-199/1000", true), ("100-199,0-99", "0-199/*", true),
            ("0-99,200-299", "0-299/1000", true), ("0-99,200-299", "0-150/1000", true),
            ("0-99,100-", "0-999/1000", true), ("800-899,-100", "800-999/1000", true),
            ("-100,-300", "700-999/1000", true), ("0-99,-100", "0-999/*", true),
            ("0-99,100-199", "300-399/1000", false), ("0-99,100-199", "0-200/1000", false),
            ("0-99,100-199", "50-199/1000", false), ("10-99,100-199", "0-199/1000", false),
        ])
    func parts(range: String, answer: String, isTaken: Bool) async throws {
        #expect(try await self.isTaken(range, [.contentRange: "bytes \(answer)"]) == isTaken)
    }

    @Test func severalPartsAnswerSeveralRanges() async throws {
        let fields: HTTPFields = [.contentType: "multipart/byteranges; boundary=x"]
        #expect(try await isTaken("0-99,200-299", fields))
        #expect(try await !isTaken("0-99", fields))
        #expect(try await !isTaken("0-99,100-199", [:]))
    }
}
