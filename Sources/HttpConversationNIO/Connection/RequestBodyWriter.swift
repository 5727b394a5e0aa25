import HttpConversation

/// Moves a request body from its source to the connection, no faster than the connection takes it.
struct RequestBodyWriter {
    let body: OpenedRequestBody
    let exchange: TransportExchange
    let connection: Connection
    let pipe: RequestBodyPipe

    func run() async {
        do {
            if try await send() { _ = await pipe.send([], isLast: true) }
        } catch {
            connection.failBody(of: exchange, error)
        }
    }

    /// True where the end is still to be said; false where it was, or where the rest is no longer wanted.
    private func send() async throws -> Bool {
        // Stopped before it began, it takes nothing of a stream that there is only once.
        if Task.isCancelled { return false }
        let source = try await body.stream()
        guard let length = body.length else {
            while let chunk = try await source.next() {
                if chunk.isEmpty { continue }
                guard await pipe.send(chunk), !Task.isCancelled else { return false }
            }
            return true
        }
        return try await send(source, exactly: length)
    }

    /// The chunk that completes the announced length is held until the source has ended: a wrong length is an error
    /// while the server still waits, never a body that looks whole.
    private func send(_ source: RequestBodyStream, exactly length: Int) async throws -> Bool {
        var read = 0
        var last: [UInt8] = []
        while let chunk = try await source.next() {
            if chunk.isEmpty { continue }
            read += chunk.count
            guard read <= length else { throw RequestBodyFailure.length(announced: length, isLonger: true) }
            guard read < length else {
                last = chunk
                continue
            }
            guard await pipe.send(chunk), !Task.isCancelled else { return false }
        }
        guard read == length else { throw RequestBodyFailure.length(announced: length, isLonger: false) }
        guard !last.isEmpty else { return true }
        // Together with the end: an answer to the last byte must find the request complete.
        _ = await pipe.send(last, isLast: true)
        return false
    }
}
