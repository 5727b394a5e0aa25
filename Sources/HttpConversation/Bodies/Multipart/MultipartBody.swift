/// The bytes of a form: the parts' heads and boundaries, with the parts' bodies in between.
struct MultipartBody: RequestBodySource {
    enum Segment: Sendable {
        case bytes([UInt8])
        case body(RequestBody, name: String)
    }

    /// The maximum size of a body in memory, in bytes, that is copied into one piece with the part heads around it.
    private static let maximumCopiedBytes = 16 << 10

    let segments: [Segment]

    init(_ parts: [MultipartPart], boundary: String) {
        var segments: [Segment] = []
        var bytes: [UInt8] = []
        for part in parts {
            bytes += "--\(boundary)\r\n".utf8
            bytes += part.head
            if case .bytes(let content) = part.body.kind, content.count <= Self.maximumCopiedBytes {
                bytes += content
            } else {
                segments += [.bytes(bytes), .body(part.body, name: part.name)]
                bytes = []
            }
            bytes += "\r\n".utf8
        }
        bytes += "--\(boundary)--\r\n".utf8
        self.segments = segments + [.bytes(bytes)]
    }

    /// A boundary of 144 random bits: it occurs in no part, and nobody can predict it.
    static func randomBoundary() -> String {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        let random = (0..<25).map { _ in letters[Int.random(in: 0..<letters.count)] }
        return "------------------------" + String(decoding: random, as: UTF8.self)
    }

    /// The length if it is known without opening anything.
    var knownLength: Int? {
        var total = 0
        for segment in segments {
            switch segment {
            case .bytes(let bytes): total += bytes.count
            case .body(let body, _):
                guard let length = body.length, let sum = Self.sum(total, length) else { return nil }
                total = sum
            }
        }
        return total
    }

    func open() async throws(ConversationError) -> OpenedRequestBody {
        let (pieces, length) = try await opened()
        return OpenedRequestBody(length: length) {
            let stream = MultipartStream(pieces)
            return RequestBodyStream { try await stream.next() }
        }
    }

    /// A stream for one-shot parts, which are opened when the first byte is requested.
    func openedLater() -> RequestBodyStream {
        let stream = MultipartStream { try await opened().pieces }
        return RequestBodyStream { try await stream.next() }
    }

    /// Opens every part, so that a missing file is noticed before anything is sent. A part with a length is opened
    /// again when it is read: a form may have more files than a process may have open.
    private func opened() async throws(ConversationError) -> (pieces: [MultipartStream.Piece], length: Int?) {
        var pieces: [MultipartStream.Piece] = []
        var total: Int? = 0
        for segment in segments {
            switch segment {
            case .bytes(let bytes):
                pieces.append(.bytes(bytes))
                total = total.map { $0 + bytes.count }
            case .body(let body, let name):
                let opened = try await body.open()
                guard let length = opened.length else {
                    pieces.append(.opened(opened))
                    total = nil
                    continue
                }
                pieces.append(.body(body, name: name, length: length))
                guard let before = total else { continue }
                guard let sum = Self.sum(before, length) else {
                    throw ConversationError(
                        .bodyUnavailable, "The form is larger than any length that can be announced.")
                }
                total = sum
            }
        }
        return (pieces, total)
    }

    /// The sum of two lengths in bytes; nil above `Int.max / 2`. The other half leaves room for heads and boundaries.
    private static func sum(_ total: Int, _ length: Int) -> Int? {
        let (sum, overflows) = total.addingReportingOverflow(length)
        return overflows || sum > Int.max / 2 ? nil : sum
    }
}
