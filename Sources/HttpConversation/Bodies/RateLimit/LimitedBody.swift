import Synchronization

/// A response body that comes no faster than a bucket lets it: what is not read is not taken from the connection.
final class LimitedBody: BoundedTransportBody {
    private let base: ResponseBody
    private let bucket: TokenBucket
    /// What was read and is not let through yet. One call at a time.
    private let rest = Mutex<ArraySlice<UInt8>>([])

    init(_ base: ResponseBody, _ bucket: TokenBucket) {
        self.base = base
        self.bucket = bucket
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        guard let piece = try await piece() else { return nil }
        do { try await bucket.take(piece.count) } catch { throw .cancelled }
        return piece
    }

    private func piece() async throws(ConversationError) -> [UInt8]? {
        if let piece = split(nil) { return piece }
        while let chunk = try await base.next() {
            if let piece = split(chunk) { return piece }
        }
        return nil
    }

    private func split(_ chunk: [UInt8]?) -> [UInt8]? {
        rest.withLock { rest in
            if let chunk { rest = chunk[...] }
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(bucket.piece) }
            return Array(rest.prefix(bucket.piece))
        }
    }

    func cancel() { base.cancel() }

    func bound(transferTo count: Int) { base.bound(to: count) }
}

extension RequestBody {
    /// The same body, sent no faster than a bucket lets it.
    func limited(by bucket: @escaping @Sendable () -> TokenBucket) -> RequestBody {
        var limited: RequestBody =
            switch kind {
            case .oneShot(let body):
                .oneShot(
                    length: body.length, RequestBodyStream { try await body.next() }.limited(by: bucket()))
            case .bytes, .source, .stream: .source(LimitedSource(base: self, bucket: bucket))
            }
        limited.contentType = contentType
        limited.progress = progress
        return limited
    }
}

private struct LimitedSource: RequestBodySource {
    let base: RequestBody
    let bucket: @Sendable () -> TokenBucket

    func open() async throws(ConversationError) -> OpenedRequestBody {
        let opened = try await base.open()
        return OpenedRequestBody(length: opened.length) { try await opened.stream().limited(by: bucket()) }
    }
}

extension RequestBodyStream {
    fileprivate func limited(by bucket: TokenBucket) -> RequestBodyStream {
        let rest = Mutex<ArraySlice<UInt8>>([])
        return RequestBodyStream {
            while rest.withLock({ $0.isEmpty }) {
                guard let chunk = try await next() else { return nil }
                rest.withLock { $0 = chunk[...] }
            }
            let piece = rest.withLock { rest in
                defer { rest = rest.dropFirst(bucket.piece) }
                return Array(rest.prefix(bucket.piece))
            }
            try await bucket.take(piece.count)
            return piece
        }
    }
}
