public import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
public import HttpConvPlatform
public import HttpConversation
import Synchronization

/// Makes a conversation fetch the rest of a file, and writes the body to the right place.
///
/// ``/HttpConversation/HttpConversationManager`` has downloads that do all of it. This is for programs that open the
/// response themselves, such as to look at its head first: add it to the request's filters, open the stream, and give
/// the stream to ``receive(_:progress:)``. As the last filter it asks for the rest, and checks whether the response
/// continues the existing bytes. If not, it asks for the whole in the same conversation. Login pages in between are
/// handled by other filters.
public final class Resumption: RequestFilter, ResponseFilter {
    private struct State {
        var target: TargetFile?
        var partial: PartialFile?
        var startedOver: DownloadedFile.StartOver?
    }

    /// The role of a response for the file.
    private enum Part: Equatable {
        case whole(EntityTag?, total: Int?)
        case rest(total: Int)
        /// All of it exists already.
        case nothing
        case wrong(DownloadedFile.StartOver)
        case failure
    }

    private let path: String
    private let url: TargetURL
    private let isGet: Bool
    private let token: DownloadToken?
    private let names: @Sendable () -> String
    private let state = Mutex(State())

    /// A filter for one request.
    ///
    /// - Parameters:
    ///   - request: the request of the download
    ///   - file: the place of the complete file
    ///   - token: the existing bytes; nil: none
    ///   - hasBody: whether the request has a body, which makes it start over
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest`` for a request that already asks for a
    ///   range
    public convenience init(
        _ request: HTTPRequest, to file: URL, from token: DownloadToken?, hasBody: Bool = false
    ) throws(ConversationError) {
        try self.init(request, to: file, from: token, hasBody: hasBody, names: OutputFile.randomName)
    }

    /// - Parameter names: random endings for file names
    init(
        _ request: HTTPRequest, to file: URL, from token: DownloadToken?, hasBody: Bool,
        names: @escaping @Sendable () -> String
    ) throws(ConversationError) {
        url = try TargetURL(request)
        path = file.absoluteURL.path(percentEncoded: false)
        isGet = request.method == .get && !hasBody
        self.token = token
        self.names = names
        guard !request.headerFields.contains(.range), !request.headerFields.contains(.ifRange) else {
            throw ConversationError(
                .invalidRequest, "A download into a file asks for ranges by itself: leave out Range and If-Range.")
        }
    }

    /// The reason why existing bytes are not used.
    public var startedOver: DownloadedFile.StartOver? { state.withLock { $0.startedOver } }

    /// The same reason when the final response is known: it may be the whole.
    public func startedOver(by stream: ConversationStream) -> DownloadedFile.StartOver? {
        let state = state.withLock { $0 }
        // If the whole was asked for, the reason is known already.
        guard state.startedOver == nil, let partial = state.partial, case .whole(let tag, _) = part(stream) else {
            return state.startedOver
        }
        return tag?.text == partial.record.entityTag ? .rangesIgnored : .changed
    }

    /// Whether a final response says that all bytes exist already.
    public func isComplete(by stream: ConversationStream) -> Bool { part(stream) == .nothing }

    /// The token to resume from, after the end.
    public var left: DownloadToken? { state.withLock { $0.partial }?.token }

    // MARK: The request

    public func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let partial = try await opened()
        // A range counts bytes in the content coding that is sent.
        if !request.headerFields.contains(.acceptEncoding) { request.headerFields[.acceptEncoding] = "identity" }
        guard let partial, startedOver == nil else { return }
        request.headerFields[.range] = "bytes=\(partial.count)-"
        request.headerFields[.ifRange] = partial.record.entityTag
    }

    /// Opens the existing bytes before anything is sent.
    private func opened() async throws(ConversationError) -> PartialFile? {
        let state = state.withLock { $0 }
        if state.target != nil { return state.partial }
        let (target, partial) = try await Blocking.run { [self] () throws(ConversationError) in try open() }
        self.state.withLock { state in
            state.target = target
            state.partial = partial
        }
        return partial
    }

    private func open() throws(ConversationError) -> (TargetFile?, PartialFile?) {
        let target = try TargetFile.find(path, names: names)
        guard let token else { return (target, nil) }
        guard token.record.describes(url), isGet else { throw otherResource(token) }
        guard let target, target.path == token.target else {
            throw ConversationError(
                .notResumable,
                "The token is of \"\(TerminalText.sanitise(token.target))\", and cannot continue another file.")
        }
        return (target, try PartialFile.open(token, at: target))
    }

    private func otherResource(_ token: DownloadToken) -> ConversationError {
        let (begun, asked) = (TerminalText.sanitise(token.resource), PartialRecord.resource(of: url))
        let what =
            !isGet
            ? "the part is of \(begun), and only a GET without a body can continue it"
            : token.resource == asked
                ? "the part is of \(begun) with another query, and more than its signature differs"
                : "the part is of \(begun), not of \(asked)"
        return ConversationError(
            .notResumable, "The download cannot be resumed: \(what). To start over, remove \(token.filesToRemove).")
    }

    /// Whether a download of this response could be resumed later.
    public static func isResumable(_ head: HTTPResponse) -> Bool {
        strongTag(head) != nil && (head.headerFields.announcedLength ?? 0) > 0
    }

    // MARK: The response

    public func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard case .wrong(let reason) = part(response.head, isDecoded: response.isDecoded)
        else { return .proceed }
        state.withLock { $0.startedOver = reason }
        return .restart(reason: "\(reason.rawValue), so the download starts over")
    }

    private func part(_ stream: ConversationStream) -> Part { part(stream.head, isDecoded: stream.body.isDecoded) }

    /// - Complexity: looks at the head only
    private func part(_ head: HTTPResponse, isDecoded: Bool) -> Part {
        let state = state.withLock { $0 }
        let partial = state.startedOver == nil ? state.partial : nil
        switch head.status.code {
        // A range that was not asked for cannot be used.
        case 206: return partial.map { rest(of: $0, head, isDecoded) } ?? .failure
        case 416:
            guard let partial else { return .failure }
            // All bytes exist. A 416 may lack the validator; then the record's counts.
            guard ContentRange(of: head.headerFields) == .unsatisfied(total: partial.count),
                partial.count == partial.record.total, matches(partial, head.headerFields, orNone: true)
            else { return .wrong(.changed) }
            return .nothing
        case 200..<300: return .whole(validator(head), total: head.headerFields.announcedLength)
        default: return .failure
        }
    }

    private func rest(of partial: PartialFile, _ head: HTTPResponse, _ isDecoded: Bool) -> Part {
        let fields = head.headerFields
        guard matches(partial, fields, orNone: false) else { return .wrong(.changed) }
        guard !isDecoded, !fields.contains(.contentEncoding), !Self.hasSeveralParts(fields) else {
            return .wrong(.coded)
        }
        guard case .part(let first, let last, let total?) = ContentRange(of: fields) else { return .wrong(.otherRange) }
        guard total == partial.record.total else { return .wrong(.changed) }
        // The length may be missing (RFC 9110 §15.3.7): the file takes exactly the bytes of the range.
        guard first == partial.count, last == total - 1,
            !fields.contains(.contentLength) || fields.announcedLength == total - first
        else { return .wrong(.otherRange) }
        return .rest(total: total)
    }

    private func matches(_ partial: PartialFile, _ fields: HTTPFields, orNone: Bool) -> Bool {
        if orNone, !fields.contains(.eTag) { return true }
        return EntityTag(of: fields)?.text == partial.record.entityTag
    }

    /// The validator with which a part of this response could be resumed.
    private func validator(_ head: HTTPResponse) -> EntityTag? {
        isGet ? Self.strongTag(head) : nil
    }

    private static func strongTag(_ head: HTTPResponse) -> EntityTag? {
        let fields = head.headerFields
        guard head.status == .ok, !fields.contains(.contentEncoding),
            !fields[values: .acceptRanges].contains(where: { $0.lowercased() == "none" })
        else { return nil }
        return EntityTag(of: fields)
    }

    private static func hasSeveralParts(_ fields: HTTPFields) -> Bool {
        fields[.contentType]?.mediaType == "multipart/byteranges"
    }

    // MARK: The body

    /// Writes the body to its place; the file is complete when this returns.
    ///
    /// - Parameters:
    ///   - stream: the final response
    ///   - progress: receives the number of bytes in the file, and the total if it is known
    /// - Returns: the number of bytes that were there before
    /// - Throws: ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` for a status other than 2xx, which
    ///   leaves existing bytes alone. After an interruption, the message says where the bytes are
    public func receive(
        _ stream: ConversationStream, progress: (_ received: Int, _ total: Int?) -> Void
    ) async throws(ConversationError) -> Int {
        let part = part(stream)
        let before = state.withLock { $0.partial }
        let writer: any ResponseBodyWriter
        var start = 0
        var whole: Int?
        switch (part, before) {
        case (.nothing, let partial?):
            try await addingHint { () async throws(ConversationError) in try await partial.complete() }
            return partial.count
        case (.rest(let total), let partial?):
            if let limit = stream.context.configuration.maximumBodyBytes, total > limit {
                throw ResponseBody.tooLarge(limit)
            }
            (start, whole) = (partial.count, total)
            writer = partial
        case (.whole(let tag, let total), _):
            let reason = startedOver(by: stream)
            state.withLock { $0.startedOver = reason }
            whole = stream.expectedLength
            writer = try await begin(tag, total)
        default:
            throw await stream.unsuccessful(hint(before))
        }
        try await addingHint { () async throws(ConversationError) in
            try await OpenedSink(writer: writer).write(stream.body) { progress(start + $0, whole) }
        }
        // The previous bytes are no longer needed.
        if let before, before !== (writer as? PartialFile) { await before.forget() }
        return start
    }

    private func begin(
        _ tag: EntityTag?, _ total: Int?
    ) async throws(ConversationError) -> any ResponseBodyWriter {
        let (target, own) = state.withLock { ($0.target, $0.partial) }
        guard let target, let tag, let total, total > 0 else {
            return try await OutputFile(path: path, names: names).open()
        }
        let partial = try await Blocking.run { [url, names] () throws(ConversationError) in
            try PartialFile.create(for: url, tag, total: total, at: target, replacing: own, names: names)
        }
        let before = state.withLock { state in
            defer { state.partial = partial }
            return state.partial
        }
        await before?.forget()
        return partial
    }

    private func addingHint(_ work: () async throws(ConversationError) -> Void) async throws(ConversationError) {
        do throws(ConversationError) { try await work() } catch {
            let partial = state.withLock { $0.partial }
            let hint = hint(partial)
            throw hint.isEmpty ? error : error.adding(hint)
        }
    }

    /// A sentence that says where the received bytes are.
    private func hint(_ partial: PartialFile?) -> String {
        guard let token = partial?.token else { return "" }
        return
            "\(token.length) of \(token.total) bytes are kept in \"\(TerminalText.sanitise(token.partialFile.path(percentEncoded: false)))\": the download can go on from there."
    }

    /// Closes the partial file, so that it can be resumed.
    public func close() async { await state.withLock { $0.partial }?.discard() }
}

/// A sink whose writer is already open.
private struct OpenedSink: ResponseBodySink {
    let writer: any ResponseBodyWriter

    func open() async throws(ConversationError) -> any ResponseBodyWriter { writer }
}
