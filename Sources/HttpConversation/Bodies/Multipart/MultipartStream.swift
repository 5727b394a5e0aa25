/// The bytes of a form, one part after the other. One call at a time.
actor MultipartStream {
    enum Piece: Sendable {
        case bytes([UInt8])
        /// A body that is still to be opened, with its announced length.
        case body(RequestBody, name: String, length: Int)
        /// An open body without a length.
        case opened(OpenedRequestBody)
    }

    /// The part that is being read.
    private struct Current {
        let stream: RequestBodyStream
        let name: String
        /// The number of bytes left; nil if unknown.
        var rest: Int?
    }

    private var pieces: [Piece]?
    private let load: @Sendable () async throws -> [Piece]
    private var index = 0
    private var current: Current?

    init(_ pieces: [Piece]) {
        self.pieces = pieces
        load = { pieces }
    }

    /// - Parameter load: called for the first byte
    init(load: @escaping @Sendable () async throws -> [Piece]) { self.load = load }

    func next() async throws -> [UInt8]? {
        while true {
            if let part = current {
                if let chunk = try await chunk(of: part) { return chunk }
                current = nil
            }
            let pieces: [Piece]
            if let known = self.pieces { pieces = known } else { pieces = try await load() }
            self.pieces = pieces
            guard index < pieces.count else { return nil }
            let piece = pieces[index]
            index += 1
            switch piece {
            case .bytes(let bytes): return bytes
            case .opened(let opened): current = Current(stream: try await opened.stream(), name: "", rest: nil)
            case .body(let body, let name, let length):
                let opened = try await body.open()
                guard opened.length == length else { throw Self.changed(name) }
                current = Current(stream: try await opened.stream(), name: name, rest: length)
            }
        }
    }

    /// The next chunk of the part; nil at its end.
    private func chunk(of part: Current) async throws -> [UInt8]? {
        guard let chunk = try await part.stream.next() else {
            if let rest = part.rest, rest > 0 { throw Self.changed(part.name) }
            return nil
        }
        if let rest = part.rest {
            guard chunk.count <= rest else { throw Self.changed(part.name) }
            current?.rest = rest - chunk.count
        }
        return chunk
    }

    private static func changed(_ name: String) -> ConversationError {
        ConversationError(
            .bodyUnavailable,
            "The part \"\(TerminalText.sanitise(name))\" of the form is longer or shorter than it was when the request began: the request was given up."
        )
    }
}
