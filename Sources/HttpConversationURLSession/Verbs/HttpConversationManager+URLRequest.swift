public import Foundation
import HTTPTypes
import HttpConvFiles
public import HttpConversation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The verbs of URLSession, with its own types. Each one is a conversation: the manager handles logins, redirects and
/// cookies. `HTTPURLResponse.conversation` is its context.
///
/// These properties of a `URLRequest` are used: method, URL, header fields and body; `timeoutInterval` as the idle
/// timeout, unless it is the default minute; `httpShouldHandleCookies`, which if false means that no cookies are sent
/// or kept; and with ``URLSessionTransport`` on Apple's systems, the networks that it allows. There is no HTTP cache,
/// so cache policies are ignored, except `returnCacheDataDontLoad`, which is refused.
extension HttpConversationManager {
    /// Runs a conversation and returns the body in memory, with the final response.
    ///
    /// - Throws: `ConversationError`; a response with an error status does not throw
    public func data(
        for request: URLRequest, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> (Data, HTTPURLResponse) {
        try await whole(request, nil, delegate, prepare)
    }

    /// Runs a conversation for a URL.
    public func data(from url: URL) async throws(ConversationError) -> (Data, HTTPURLResponse) {
        try await whole(URLRequest(url: url), nil, nil) { _ in }
    }

    /// Sends bytes. The request's own body is ignored, as with URLSession.
    public func upload(
        for request: URLRequest, from data: Data, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> (Data, HTTPURLResponse) {
        try await whole(request, .bytes(data), delegate, prepare)
    }

    /// Sends a file, which is read while it is sent. A manager of a background configuration leaves that to the system;
    /// then the status has to be a success, and the body of the answer at most 1 MiB.
    public func upload(
        for request: URLRequest, fromFile file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> (Data, HTTPURLResponse) {
        guard backgroundTransfers == nil else {
            let response = try await transferred(request, .upload, file, delegate, prepare)
            return (response.data, try Self.foundation(response))
        }
        return try await whole(request, .file(file), delegate, prepare)
    }

    /// Writes the final response's body to a file, which appears complete or not at all.
    ///
    /// Unlike with URLSession, a status other than 2xx is an error, and touches no file. A manager of a background
    /// configuration leaves the transfer to the system.
    ///
    /// - Parameter file: the destination; there is no temporary file to move
    /// - Returns: `file` and the response
    /// - Throws: ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` with the response, else the errors of
    ///   every conversation
    public func download(
        for request: URLRequest, to file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> (URL, HTTPURLResponse) {
        guard backgroundTransfers == nil else {
            return (file, try Self.foundation(try await transferred(request, .download, file, delegate, prepare)))
        }
        let (manager, converted) = try sending(request, nil)
        let response = try await manager.download(
            for: converted.httpRequest, body: converted.body, to: file, delegate: delegate, prepare: prepare)
        return (file, try Self.foundation(response))
    }

    /// Returns the body as it arrives, with the final response.
    public func bytes(
        for request: URLRequest, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> (ResponseBody, HTTPURLResponse) {
        let (manager, converted) = try sending(request, nil)
        let stream = try await manager.bytes(
            for: converted.httpRequest, body: converted.body, delegate: delegate, prepare: prepare)
        return (stream.body, try Self.foundation(stream))
    }

    private func transferred(
        _ request: URLRequest, _ kind: BackgroundLabel.Kind, _ file: URL, _ delegate: (any ConversationDelegate)?,
        _ prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> ConversationResponse {
        let (manager, converted) = try sending(request, nil)
        guard converted.body == nil else {
            throw ConversationError(
                .invalidRequest, "A background transfer sends no other body than a file: use upload(for:fromFile:).")
        }
        return try await manager.finishTransfer(converted.httpRequest, kind, file, delegate, prepare)
    }

    private func whole(
        _ request: URLRequest, _ body: RequestBody?, _ delegate: (any ConversationDelegate)?,
        _ prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> (Data, HTTPURLResponse) {
        let (manager, converted) = try sending(request, body)
        let response = try await manager.data(
            for: converted.httpRequest, body: converted.body, delegate: delegate, prepare: prepare)
        return (response.data, try Self.foundation(response))
    }

    // MARK: For callers that cannot await

    /// The completion form of `data(for:)`.
    ///
    /// - Returns: the conversation, to cancel it; nil if the request is invalid, which `completion` gets as an error
    @discardableResult
    public func executeRequest(
        _ request: URLRequest, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(Data, HTTPURLResponse), ConversationError>) async -> Void
    ) -> Conversation<ConversationResponse>? {
        Self.execute(completion) { conversation in
            do throws(ConversationError) {
                let response = try await conversation.result.get()
                return .success((response.data, try Self.foundation(response)))
            } catch { return .failure(error) }
        } start: { () throws(ConversationError) in
            let (manager, converted) = try sending(request, nil)
            return try manager.start(
                converted.httpRequest, body: converted.body, delegate: delegate, prepare: prepare)
        }
    }

    /// The completion form of `upload(for:from:)`.
    @discardableResult
    public func executeUploadRequest(
        _ request: URLRequest, from data: Data, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(Data, HTTPURLResponse), ConversationError>) async -> Void
    ) -> Conversation<ConversationResponse>? {
        var sent = request
        sent.httpBody = data
        return executeRequest(sent, delegate: delegate, prepare: prepare, completion: completion)
    }

    /// The completion form of `download(for:to:)`.
    ///
    /// - Returns: the conversation's task, to cancel it
    @discardableResult
    public func executeDownloadRequest(
        _ request: URLRequest, to file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @escaping @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(URL, HTTPURLResponse), ConversationError>) async -> Void
    ) -> Task<Void, Never> {
        Self.execute(completion) { () throws(ConversationError) in
            try await self.download(for: request, to: file, delegate: delegate, prepare: prepare)
        }
    }

    /// The completion form of `upload(for:fromFile:)`.
    ///
    /// - Returns: the conversation's task, to cancel it
    @discardableResult
    public func executeUploadRequest(
        _ request: URLRequest, fromFile file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @escaping @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(Data, HTTPURLResponse), ConversationError>) async -> Void
    ) -> Task<Void, Never> {
        Self.execute(completion) { () throws(ConversationError) in
            try await self.upload(for: request, fromFile: file, delegate: delegate, prepare: prepare)
        }
    }

    /// The completion form of `bytes(for:)`: called with the head, while the body still arrives.
    ///
    /// - Returns: the conversation, to cancel it; nil if the request is invalid, which `completion` gets as an error
    @discardableResult
    public func executeStreamedRequest(
        _ request: URLRequest, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(ResponseBody, HTTPURLResponse), ConversationError>) async -> Void
    ) -> Conversation<ConversationStream>? {
        Self.execute(completion) { conversation in
            do throws(ConversationError) {
                let stream = try await conversation.result.get()
                return .success((stream.body, try Self.foundation(stream)))
            } catch { return .failure(error) }
        } start: { () throws(ConversationError) in
            let (manager, converted) = try sending(request, nil)
            return try manager.startStreaming(
                converted.httpRequest, body: converted.body, delegate: delegate, prepare: prepare)
        }
    }

    private static func execute<Output: Sendable>(
        _ completion: @escaping @Sendable (Result<Output, ConversationError>) async -> Void,
        work: @escaping @Sendable () async throws(ConversationError) -> Output
    ) -> Task<Void, Never> {
        Task {
            let result: Result<Output, ConversationError>
            do throws(ConversationError) { result = .success(try await work()) } catch { result = .failure(error) }
            await completion(result)
        }
    }

    private static func foundation(
        _ response: ConversationResponse
    ) throws(ConversationError) -> HTTPURLResponse {
        try .make(response.head, response.url, response.version, in: response.context)
    }

    private static func foundation(_ stream: ConversationStream) throws(ConversationError) -> HTTPURLResponse {
        try .make(stream.head, stream.url, stream.version, in: stream.context)
    }

    // MARK: Settings of a request

    /// The converted request, and a manager with the request's own settings.
    private func sending(
        _ request: URLRequest, _ body: RequestBody?
    ) throws(ConversationError) -> (HttpConversationManager, ConversationRequest) {
        guard request.cachePolicy != .returnCacheDataDontLoad else {
            throw ConversationError(
                .invalidRequest, "The URLRequest is to be answered from a cache only, and there is none.")
        }
        var converted = try ConversationRequest(request)
        if let body { converted.body = body }
        return (try manager(for: request), converted)
    }

    private func manager(for request: URLRequest) throws(ConversationError) -> HttpConversationManager {
        let idle = request.timeoutInterval == Self.usualTimeout ? nil : try limit(request.timeoutInterval)
        let transport = try transport(for: request)
        guard idle != nil || !request.httpShouldHandleCookies || transport != nil else { return self }
        let manager = transport.map { HttpConversationManager(transport: $0, configuration: configuration) } ?? copy()
        manager.update { configuration in
            if let idle { configuration.idleTimeout = idle }
            if !request.httpShouldHandleCookies { configuration.handlesCookies = false }
        }
        return manager
    }

    /// The default of `timeoutInterval`, in seconds.
    private static let usualTimeout: TimeInterval = 60

    private func limit(_ seconds: TimeInterval) throws(ConversationError) -> Duration {
        guard let limit = Duration(interval: seconds) else {
            throw ConversationError(.invalidRequest, "The timeoutInterval of the URLRequest is not a time limit.")
        }
        return limit
    }

    /// Another transport if the request allows fewer networks; nil: the manager's own.
    private func transport(for request: URLRequest) throws(ConversationError) -> (any HTTPTransport)? {
        #if canImport(FoundationNetworking)
        return nil
        #else
        let access = URLSessionTransport.NetworkAccess(request)
        guard access != URLSessionTransport.NetworkAccess() else { return nil }
        guard let transport = transport as? URLSessionTransport else {
            throw ConversationError(
                .invalidRequest,
                "The URLRequest is not allowed on every network, and the manager's transport does not know networks apart: use URLSessionTransport."
            )
        }
        return transport.limited(to: access)
        #endif
    }
}

extension Duration {
    /// A time limit in seconds: more than zero, at most a hundred years. Returns nil for an invalid limit.
    init?(interval seconds: TimeInterval) {
        guard seconds.isFinite, seconds > 0 else { return nil }
        self = .seconds(min(seconds, 100 * 366 * 24 * 3600))
    }
}
