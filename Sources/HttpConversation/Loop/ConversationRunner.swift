import HTTPTypes
import HttpConvConcurrency

/// Starts conversations with a given configuration, for manager verbs, handles and child conversations.
struct ConversationRunner: Sendable {
    /// Puts values into a context before its conversation starts.
    typealias ContextPreparation = @Sendable (ConversationContext) -> Void
    /// Reports the progress of a body.
    typealias ProgressReport = @Sendable (DownloadProgress) -> Void

    let transport: any HTTPTransport
    let snapshot: ConfigurationSnapshot
    var delegate: (any ConversationDelegate)?
    var parent: ConversationContext?
    var extraObservers: [any ConversationObserver] = []
    /// The target of the manager's last request; nil for child conversations.
    var repeated: RepeatedTarget?

    // `checked`, `context` and `loop` are never inlined, because their variables would enlarge the frame of each
    // waiting conversation.

    @inline(never) private func checked(
        _ request: HTTPRequest, _ body: RequestBody? = nil
    ) throws(ConversationError) -> ConversationRequest {
        guard let repeated else {
            var checked = try ConversationRequest(request, body: body)
            // A page or a redirect may have put what was sent into the URL of a child.
            if let sent = parent?.sentFields { checked.target = checked.target.hiding(sent) }
            return checked
        }
        return try ConversationRequest(
            method: request.method, target: repeated.target(of: request), headerFields: request.headerFields,
            body: body)
    }

    nonisolated(nonsending) func bytes(
        for request: HTTPRequest, body: RequestBody?, prepare: ContextPreparation
    ) async throws(ConversationError) -> ConversationStream {
        let request = try checked(request, body)
        return try await Self.stream(request, in: context(for: request, prepare))
    }

    /// Returns the head of the final response, and drops its body.
    func head(
        for request: HTTPRequest, prepare: ContextPreparation
    ) async throws(ConversationError) -> ConversationResponse {
        let request = try checked(request)
        let context = context(for: request, prepare)
        func head() async throws(ConversationError) -> ConversationResponse {
            let stream = try await Self.run(request, in: context)
            await stream.body.finish(within: snapshot.value.peekTimeout, clock: snapshot.value.clock)
            return stream.response(with: [])
        }
        guard let delegates = context.delegates else { return try await head() }
        return try await Self.completing(delegates, in: context, head)
    }

    func download(
        for request: HTTPRequest, body: RequestBody?, to sink: some ResponseBodySink, progress: ProgressReport,
        prepare: ContextPreparation
    ) async throws(ConversationError) -> ConversationResponse {
        let request = try checked(request, body)
        return try await Self.download(request, to: sink, progress, in: context(for: request, prepare))
    }

    @inline(never) func context(for request: ConversationRequest, _ prepare: ContextPreparation)
        -> ConversationContext
    {
        let context = ConversationContext(
            target: request.target, snapshot: snapshot, transport: transport, parent: parent,
            extraObservers: extraObservers, delegate: delegate, method: request.method,
            fields: request.headerFields)
        prepare(context)
        return context
    }

    @inline(never) func loop(
        for request: HTTPRequest, _ body: RequestBody?, _ prepare: ContextPreparation = { _ in }
    ) throws(ConversationError) -> ConversationLoop {
        let request = try checked(request, body)
        let context = context(for: request, prepare)
        return ConversationLoop(request: request, context: context)
    }

    // The following functions are static: the runner itself would be a part of each conversation's memory.

    nonisolated(nonsending) static func run(
        _ request: ConversationRequest, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationStream {
        var loop = ConversationLoop(request: request, context: context)
        return try await run(&loop)
    }

    @inline(__always) private nonisolated(nonsending) static func run(
        _ loop: inout ConversationLoop
    ) async throws(ConversationError) -> ConversationStream {
        guard let listener = loop.context.waitListener else { return try await loop.run() }
        return try await run(&loop, reportingWaitsTo: listener)
    }

    // The following functions are never inlined, because their variables would enlarge the frame of each waiting
    // conversation.

    @inline(never) private nonisolated(nonsending) static func run(
        _ loop: inout ConversationLoop, reportingWaitsTo listener: Waiting.Listener
    ) async throws(ConversationError) -> ConversationStream {
        do {
            return try await Waiting.$listener.withValue(listener) { try await loop.run() }
        } catch {
            throw ConversationLoop.failure(error)
        }
    }

    /// Like `data`, for a conversation with delegates.
    @inline(never) private nonisolated(nonsending) static func watchedData(
        _ loop: inout ConversationLoop, _ delegates: Delegates
    ) async throws(ConversationError) -> ConversationResponse {
        try await completing(delegates, in: loop.context) { () async throws(ConversationError) in
            try await collected(begin(run(&loop), delegates))
        }
    }

    nonisolated(nonsending) static func stream(
        _ request: ConversationRequest, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationStream {
        guard let delegates = context.delegates else { return try await run(request, in: context) }
        return try await watchedStream(request, in: context, delegates)
    }

    nonisolated(nonsending) static func data(
        for request: ConversationRequest, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationResponse {
        var loop = ConversationLoop(request: request, context: context)
        return try await data(&loop)
    }

    nonisolated(nonsending) static func data(
        _ loop: inout ConversationLoop
    ) async throws(ConversationError) -> ConversationResponse {
        if let delegates = loop.context.delegates { return try await watchedData(&loop, delegates) }
        return try await collected(run(&loop))
    }

    nonisolated(nonsending) static func collected(_ stream: ConversationStream) async throws(ConversationError)
        -> ConversationResponse
    {
        if let whole = stream.body.takeWhole(upTo: stream.context.snapshot.value.maximumBufferedBytes) {
            return stream.response(with: whole)
        }
        return try await collectedInParts(stream)
    }

    @inline(never) private nonisolated(nonsending) static func collectedInParts(
        _ stream: ConversationStream
    ) async throws(ConversationError) -> ConversationResponse {
        do throws(ConversationError) {
            return stream.response(
                with: try await stream.body.collect(upTo: stream.context.snapshot.value.maximumBufferedBytes))
        } catch {
            throw error.inConversation(of: stream)
        }
    }

    static func download(
        _ request: ConversationRequest, to sink: some ResponseBodySink, _ progress: ProgressReport,
        in context: ConversationContext
    ) async throws(ConversationError) -> ConversationResponse {
        let mayBePart = request.headerFields.contains(.range)
        guard let delegates = context.delegates else {
            return try await Self.write(run(request, in: context), to: sink, mayBePart: mayBePart, progress)
        }
        return try await completing(delegates, in: context) { () async throws(ConversationError) in
            let stream = try await begin(run(request, in: context), delegates, isDownload: true)
            let response = try await Self.write(stream, to: sink, mayBePart: mayBePart, progress)
            await delegates.downloaded(response, to: sink.file)
            return response
        }
    }

    private static func write(
        _ stream: ConversationStream, to sink: some ResponseBodySink, mayBePart: Bool, _ progress: ProgressReport
    ) async throws(ConversationError) -> ConversationResponse {
        guard stream.status.kind == .successful, mayBePart || stream.status != .partialContent else {
            throw await stream.unsuccessful()
        }
        do throws(ConversationError) {
            var meter = DownloadMeter(stream.context.configuration.clock)
            try await sink.write(stream.body) { progress(meter.progress($0, of: stream.expectedLength)) }
            return stream.response(with: [])
        } catch {
            throw error.inConversation(of: stream)
        }
    }
}
