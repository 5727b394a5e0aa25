import HttpConvPlatform
import HttpConversation

/// Reads a pipe or device, which is opened when its first byte is needed. One call at a time.
actor LateStream {
    private let url: URL
    private var stream: RequestBodyStream?

    init(of url: URL) { self.url = url }

    func next() async throws -> [UInt8]? {
        let stream: RequestBodyStream
        if let known = self.stream { stream = known } else { stream = try await FileReader.open(url).stream() }
        self.stream = stream
        return try await stream.next()
    }
}
