import HttpConversation

/// Reads a pipe or device, which is opened when its first byte is needed. One call at a time.
actor LateStream {
    private let file: FileBody
    private var stream: RequestBodyStream?

    init(of file: FileBody) { self.file = file }

    func next() async throws -> [UInt8]? {
        let stream: RequestBodyStream
        if let known = self.stream { stream = known } else { stream = try await file.open().stream() }
        self.stream = stream
        return try await stream.next()
    }
}
