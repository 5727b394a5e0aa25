import HttpConversation

/// Moves a request body from its source to the connection, no faster than the connection takes it.
struct RequestBodyWriter {
    let body: OpenedRequestBody
    let exchange: TransportExchange
    let connection: Connection
    let pipe: RequestBodyPipe
    let buffers: RequestBodyBuffers

    func run() async {
        do {
            // If it was stopped before it began, it must leave a one-shot stream unread.
            if Task.isCancelled { return }
            let source = try await body.stream()
            let endIsMissing = try await source.read { try await sendPieces(of: source) }
            if endIsMissing { pipe.end() }
        } catch {
            connection.failBody(of: exchange, error)
        }
    }

    /// Sends the pieces. Returns true if the end is still to be sent, false if it was sent or is no longer needed.
    private func sendPieces(of source: RequestBodyStream) async throws -> Bool {
        guard let length = body.length else {
            while let chunk = try await source.next(in: buffers) {
                if chunk.count == 0 { continue }
                guard await pipe.send(chunk), !Task.isCancelled else { return false }
            }
            return true
        }
        return try await send(source, exactly: length)
    }

    /// Sends a body of known length. The chunk that completes the length is held until the source has ended: a wrong
    /// length is an error while the server still waits, and never produces a body that looks complete.
    private func send(_ source: RequestBodyStream, exactly length: Int) async throws -> Bool {
        var read = 0
        var last: RequestBodyBytes?
        while let chunk = try await source.next(in: buffers) {
            if chunk.count == 0 { continue }
            read += chunk.count
            guard read <= length else { throw RequestBodyFailure.length(announced: length, isLonger: true) }
            guard read < length else {
                last = chunk
                continue
            }
            guard await pipe.send(chunk), !Task.isCancelled else { return false }
        }
        guard read == length else { throw RequestBodyFailure.length(announced: length, isLonger: false) }
        guard let last else { return true }
        // Sent together with the end: if the server answers the last byte, the request must be complete.
        pipe.end(with: last)
        return false
    }
}
