import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite struct MultipartTests {
    private static func read(_ body: RequestBody) async throws -> (bytes: [UInt8], length: Int?) {
        let opened = try await body.open()
        let stream = try await opened.stream()
        var bytes: [UInt8] = []
        while let chunk = try await stream.next() { bytes += chunk }
        return (bytes, opened.length)
    }

    /// A source that yields another number of bytes than it announces, as a file that grows or shrinks.
    private struct Liar: RequestBodySource {
        let announced: Int
        let yields: Int

        func open() async throws(ConversationError) -> OpenedRequestBody {
            OpenedRequestBody(length: announced) {
                let position = StreamPosition()
                return RequestBodyStream { position.advance(by: 1) < yields ? [1] : nil }
            }
        }
    }

    @Test func multipartBytesFollowTheStandard() async throws {
        let large = [UInt8](repeating: 7, count: 300_000)
        let parts: [MultipartPart] = [
            try .field("title", "Ürlaub"), try .file("a", .bytes([1, 2]), filename: "a.bin"),
            try .file("b", .bytes(large), filename: "b", contentType: "image/png"),
            try MultipartPart(name: "c", .json(["x": 1])),
        ]
        let body = RequestBody.multipart(parts, boundary: "B")
        #expect(body.contentType == "multipart/form-data; boundary=B")
        #expect(body.isRestartable)
        let type = "\r\nContent-Type: "
        let expected =
            Array("--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nÜrlaub\r\n".utf8)
            + Array(
                "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a.bin\"\(type)application/octet-stream\r\n\r\n"
                    .utf8) + [1, 2]
            + Array(
                "\r\n--B\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b\"\(type)image/png\r\n\r\n".utf8)
            + large
            + Array(
                "\r\n--B\r\nContent-Disposition: form-data; name=\"c\"\(type)application/json\r\n\r\n{\"x\":1}\r\n--B--\r\n"
                    .utf8)
        for _ in 1...2 {
            let (bytes, length) = try await Self.read(body)
            #expect(bytes == expected)
            #expect(length == expected.count)
        }
    }

    /// A quote or a line end in a name is escaped, even if a combining mark hides it from comparisons of characters.
    @Test(
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("\"\u{301}", "%22\u{301}"), ("\n\u{301}", "%0A\u{301}"),
            ("a\\b%", "a\\b%"), ("żółw \u{85}", "żółw \u{85}"), ("", ""),
        ])
    func namesAreEscaped(name: String, escaped: String) async throws {
        let part = try MultipartPart.file(name, .text(""), filename: name)
        let head = "Content-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"
        #expect(String(decoding: part.head, as: UTF8.self).utf8.starts(with: head.utf8))
    }

    @Test(
        arguments: [
            ("a\0", "a", "text/plain"), ("a", "\u{1B}[2J", "text/plain"), ("a", "b", "text/plain\r\nX: y"),
            ("\u{7F}", "", ""),
        ])
    func invalidPartNamesAreRefused(name: String, filename: String, type: String) {
        let error = #expect(throws: ConversationError.self) {
            try MultipartPart.file(name, .text(""), filename: filename, contentType: type)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func boundariesDiffer() {
        let boundaries = (0..<100).map { _ in RequestBody.multipart([]).contentType ?? "" }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.utf8.count <= "multipart/form-data; boundary=".utf8.count + 70 })
    }

    @Test(arguments: [(3, 2), (2, 3), (0, 1)]) func aChangedPartIsAnError(announced: Int, yields: Int) async throws {
        // The second part makes up for the first: the total length is right.
        let parts = [
            try MultipartPart(name: "one", .source(Liar(announced: announced, yields: yields))),
            try MultipartPart(name: "two", .source(Liar(announced: yields, yields: announced))),
        ]
        let error = await #expect(throws: ConversationError.self) { try await Self.read(.multipart(parts)) }
        #expect(error?.code == .bodyUnavailable)
        #expect(error?.message.contains("\"one\"") == true)
    }

    @Test func overflowingLengthsAreRefused() async throws {
        let huge = try MultipartPart(name: "a", .source(Liar(announced: .max, yields: 0)))
        #expect(await failureCode { try await RequestBody.multipart([huge, huge]).open() } == .bodyUnavailable)
    }

    @Test(arguments: [3, nil] as [Int?]) func aOneShotPartMakesTheFormOneShot(length: Int?) async throws {
        let stream = AsyncStream<[UInt8]> {
            $0.yield([1, 2, 3])
            $0.finish()
        }
        let body = RequestBody.multipart([
            try .field("a", "b"), try .file("c", .oneShot(length: length, stream), filename: "c"),
        ])
        #expect(!body.isRestartable && body.isReplayable)
        #expect((body.length == nil) == (length == nil))
        let (bytes, announced) = try await Self.read(body)
        #expect(announced == (length == nil ? nil : bytes.count))
        #expect(!body.isReplayable)
    }
}
