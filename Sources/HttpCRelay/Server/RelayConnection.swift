import HttpC
import NIOCore
import NIOHTTP1

/// Serves the requests of one connection, one after the other.
struct RelayConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let gate: RelayGate
    let client: RelayClient
    let limits: RelayLimits
    let activity: RelayActivity

    /// Returns when the connection has ended.
    func serve(_ channel: Channel) async {
        try? await channel.executeThenClose { inbound, outbound in
            let parts = RequestParts(inbound)
            while let head = try await parts.head() {
                activity.begin()
                defer { activity.end() }
                guard try await answer(head, parts, outbound, channel.channel) else { return await parts.drain() }
            }
        }
    }

    /// - Returns: whether the connection can serve another request
    private func answer(
        _ head: HTTPRequestHead, _ parts: RequestParts, _ outbound: Outbound, _ channel: any NIOCore.Channel
    ) async throws -> Bool {
        switch gate.judge(head) {
        case .refuse(let refusal):
            try await write(refusal, isHead: head.method == .HEAD, outbound)
            return false
        case .enter(let path):
            let cookie = gate.keys?.setCookie ?? ""
            try await write(
                RelayAnswer(.seeOther, "", [("Location", path), ("Set-Cookie", cookie)]), isHead: head.method == .HEAD,
                outbound)
            return false
        case .forward(let relayed):
            // The decoder stops after a request for another protocol.
            let isKept = head.isKeepAlive && !head.headers.contains(name: "Upgrade")
            return try await forward(relayed, isKept: isKept, parts, outbound, channel)
        }
    }

    private func forward(
        _ relayed: RelayedRequest, isKept: Bool, _ parts: RequestParts, _ outbound: Outbound,
        _ channel: any NIOCore.Channel
    ) async throws -> Bool {
        if relayed.expectsContinue, ![.none, .webSocket].contains(relayed.body) {
            try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        }
        let (body, record) = try await body(of: relayed, parts)
        let stream: ConversationStream
        let departure = RelayRedirectFilter.Departure()
        let isHead = relayed.request.method == .head
        do throws(ConversationError) { stream = try await client.open(relayed, body: body, departure) } catch {
            // The client is gone.
            if Task.isCancelled { return false }
            if let redirect = departure.redirect, !redirect.leadsToLogin, !Self.isOfLogin(error) {
                try await handOn(redirect, relayed, outbound)
                return false
            }
            let isLost = await record?.isLost == true
            let answer = isLost ? await answer(toLost: relayed, error) : failure(error)
            try await write(answer, isHead: isHead, outbound)
            return false
        }
        guard gate.place.contains(stream.url) else {
            // A page of another server would act at the relay's address as if it were the target's.
            stream.body.cancel()
            if let redirect = departure.redirect {
                try await handOn(redirect, relayed, outbound)
            } else {
                let answer = RelayAnswer(.found, "", [("Location", stream.url.absoluteString)])
                try await write(answer, isHead: isHead, outbound)
            }
            return false
        }
        if let answer = replacement(for: stream, relayed) {
            stream.body.cancel()
            try await write(answer, isHead: isHead, outbound)
            return false
        }
        if stream.status == .switchingProtocols {
            try await join(stream, relayed, outbound, channel)
            return false
        }
        let isAtEnd = await parts.isAtEnd
        let isKept = isKept && isAtEnd && !activity.isFinishing
        try await write(stream, relayed, isKept: isKept, outbound)
        return isKept
    }

    // MARK: WebSockets

    /// Joins the client and a target that has agreed to speak WebSocket. The end of one side ends the other one, after
    /// all bytes before it.
    private func join(
        _ stream: ConversationStream, _ relayed: RelayedRequest, _ outbound: Outbound, _ channel: any NIOCore.Channel
    ) async throws {
        let headers = RelayFields.switching(stream.headerFields, from: stream.url, at: gate.place, base: relayed.base)
        try await outbound.write(
            .head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)))
        try await RelayPipeline.upgrade(channel)
        // The end of the client's connection cancels this task, and not the last bytes on their way to the target.
        await Task {
            while let chunk = try? await stream.body.next() {
                guard (try? await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: chunk))))) != nil else { break }
            }
            stream.body.cancel()
        }.value
        try await outbound.write(.end(nil))
    }

    // MARK: The body of a request

    /// Bodies up to this size are read before they are sent.
    private static let smallBody = 64 << 10

    private func body(
        of relayed: RelayedRequest, _ parts: RequestParts
    ) async throws -> (RequestBody?, UploadRecord?) {
        switch relayed.body {
        case .none:
            guard try await parts.chunk() == nil else { throw RequestParts.Cut() }
            return (nil, nil)
        case .webSocket:
            guard try await parts.chunk() == nil else { throw RequestParts.Cut() }
            return (.stream { RequestBodyStream { try await parts.bytes() } }, nil)
        case .length(let length) where length <= Self.smallBody:
            var bytes: [UInt8] = []
            while let chunk = try await parts.chunk() { bytes += chunk }
            return (.bytes(bytes), nil)
        case .length(let length):
            let record = UploadRecord(keeping: limits.keptUpload) { try await parts.chunk() }
            return (record.body(length: length), record)
        case .chunked:
            let record = UploadRecord(keeping: limits.keptUpload) { try await parts.chunk() }
            return (record.body(length: nil), record)
        }
    }

    // MARK: The answer

    /// The relay's own answer in place of the target's; nil if the client gets that.
    private func replacement(for stream: ConversationStream, _ relayed: RelayedRequest) -> RelayAnswer? {
        if stream.status.code == 401 || stream.status.code == 407 {
            return RelayAnswer(.badGateway, client.explain(stream))
        }
        if let error = Self.lostDestination(of: stream) { return RelayAnswer(.badGateway, client.explain(error)) }
        let isMoved = stream.url.requestTarget != relayed.url.requestTarget
        if isMoved, relayed.isSafe, stream.status.kind != .redirection, let path = gate.place.path(of: stream.url) {
            // The links of the page count from its own URL.
            return RelayAnswer(.found, "", [("Location", relayed.base + path)])
        }
        return nil
    }

    /// The failure of a redirect whose URL has bytes that were lost; nil for other answers.
    private static func lostDestination(of stream: ConversationStream) -> ConversationError? {
        guard stream.status.kind == .redirection,
            stream.headerFields[values: .location].contains(where: { $0.hasLostBytes })
        else { return nil }
        return ConversationError(
            .invalidRedirect,
            "\(stream.url.origin) redirects to a URL with bytes that are not UTF-8 and not percent-encoded: its text is lost."
        )
    }

    private func write(
        _ stream: ConversationStream, _ relayed: RelayedRequest, isKept: Bool, _ outbound: Outbound
    ) async throws {
        // The answer to HEAD is that to GET without its body.
        let isOfHead = relayed.request.method == .head && !relayed.wantsCodings
        let isDecoded = stream.body.isDecoded || isOfHead && RelayFields.areUndone(stream.headerFields)
        var headers = RelayFields.answer(
            stream.headerFields, from: stream.url, at: gate.place, base: relayed.base, isDecoded: isDecoded)
        let framing = RelayFraming(
            stream.status.code, to: relayed.request.method,
            announced: isDecoded ? [] : stream.headerFields[values: .contentLength], expected: stream.expectedLength)
        framing.apply(to: &headers)
        if !isKept { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: stream.status.code)
        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        if framing.hasBody {
            // A cut body ends the connection without the last chunk, so that the client notices.
            while let chunk = try await stream.body.next() {
                try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: chunk))))
            }
        } else {
            stream.body.cancel()
        }
        try await outbound.write(.end(nil))
    }

    /// Answers with a redirect that was followed without reaching a login. Its body is lost, so it is left out.
    private func handOn(_ redirect: Redirect, _ relayed: RelayedRequest, _ outbound: Outbound) async throws {
        var headers = RelayFields.answer(
            redirect.response.headerFields, from: redirect.source, at: gate.place, base: relayed.base)
        for name in ["Content-Type", "Content-Encoding"] { headers.remove(name: name) }
        headers.replaceOrAdd(name: "Content-Length", value: "0")
        headers.add(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: redirect.response.status.code)
        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        try await outbound.write(.end(nil))
    }

    /// Whether a login has failed, which the client is told.
    private static func isOfLogin(_ error: ConversationError) -> Bool {
        [.authenticationFailed, .filterFailed, .invalidConfiguration, .cancelled].contains(error.code)
    }

    /// - Parameter isHead: whether it answers HEAD, and so has no body (RFC 9110 §9.3.2)
    private func write(_ answer: RelayAnswer, isHead: Bool, _ outbound: Outbound) async throws {
        try await outbound.write(.head(answer.head))
        let text = isHead ? "" : answer.text
        if !text.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: text)))) }
        try await outbound.write(.end(nil))
    }

    /// Logs in for an upload that had to be sent again when its start was gone, so that the client's next try works.
    /// Without an answer there was no login: the transport had to begin again, as when a kept connection had ended.
    private func answer(toLost upload: RelayedRequest, _ error: ConversationError) async -> RelayAnswer {
        guard error.attempts.contains(where: { $0.status != nil }) else {
            let reason = ConversationError(
                .bodyNotReplayable,
                "The connection to \(upload.url.origin) failed before its answer, and the relay no longer has the start of the upload for another one. Send it again."
            )
            return RelayAnswer(.badGateway, client.explain(reason))
        }
        let hasLogin = await client.logIn(for: upload)
        // After a login on web pages the session has cookies.
        let wantsCredential = error.attempts.contains { $0.status == 401 }
        guard wantsCredential, !hasLogin else {
            return RelayAnswer(.serviceUnavailable, client.explain(error), [("Retry-After", "1")])
        }
        let reason = ConversationError(
            .bodyNotReplayable,
            "\(upload.url.origin) asks for a login only after it has read the body, when its start is gone, and its HEAD needs none. Trying again does not help: start the relay with -u and --basic, which send the password ahead."
        )
        return RelayAnswer(.badGateway, client.explain(reason))
    }

    private func failure(_ error: ConversationError) -> RelayAnswer {
        let message = client.explain(error)
        return switch error.code {
        case .timedOut: RelayAnswer(.gatewayTimeout, message)
        case .invalidURL, .invalidRequest: RelayAnswer(.badRequest, message)
        default: RelayAnswer(.badGateway, message)
        }
    }
}
