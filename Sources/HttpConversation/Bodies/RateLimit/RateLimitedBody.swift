/// A response body limited by a bucket: bytes that are not read yet stay on the connection.
final class RateLimitedBody: BoundedTransportBody {
    private let base: ResponseBody
    private let pieces: RateLimitedPieces

    init(_ base: ResponseBody, _ bucket: TokenBucket) {
        self.base = base
        pieces = RateLimitedPieces(bucket)
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        try await pieces.next(cancelled: { _ in .cancelled }) { () async throws(ConversationError) in
            try await base.next()
        }
    }

    func cancel() { base.cancel() }

    func bound(transferTo count: Int) { base.bound(to: count) }
}

extension RequestBody {
    /// A copy that is sent no faster than a bucket permits.
    func rateLimited(by bucket: @escaping @Sendable () -> TokenBucket) -> RequestBody {
        var limited: RequestBody =
            switch kind {
            case .oneShot(let body): .oneShot(length: body.length, body.open()().rateLimited(by: bucket()))
            case .bytes, .source, .stream: .source(RateLimitedSource(base: self, bucket: bucket))
            }
        limited.contentType = contentType
        limited.progress = progress
        return limited
    }
}

private struct RateLimitedSource: RequestBodySource {
    let base: RequestBody
    let bucket: @Sendable () -> TokenBucket

    func open() async throws(ConversationError) -> OpenedRequestBody {
        let opened = try await base.open()
        return OpenedRequestBody(length: opened.length) { try await opened.stream().rateLimited(by: bucket()) }
    }
}

extension RequestBodyStream {
    fileprivate func rateLimited(by bucket: TokenBucket) -> RequestBodyStream {
        let pieces = RateLimitedPieces(bucket)
        return RequestBodyStream { try await pieces.next(cancelled: { $0 }, from: next) }
    }
}
