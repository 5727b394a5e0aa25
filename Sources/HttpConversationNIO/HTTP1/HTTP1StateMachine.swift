import HTTPTypes
import HttpConvFormats
import HttpConversation
import NIOCore

/// The state of one HTTP/1.1 connection (RFC 9112). Does no I/O.
struct HTTP1StateMachine {
    typealias Refusal = ExchangeProgress.Refusal
    typealias Upload = ExchangeProgress.Upload
    typealias HeadVerdict = ExchangeProgress.HeadVerdict
    typealias Cut = ExchangeProgress.Cut

    private(set) var running: ExchangeProgress?
    private(set) var isClosed = false
    /// The number of exchanges before the current one.
    private(set) var served = 0
    private var keepsAlive = true
    /// The protocol that the running exchange asks for.
    private var upgrade: String?
    /// Whether the running exchange is a `HEAD`.
    private var isHead = false
    private var body: ResponseBodyReader?

    var canBegin: Bool { running == nil && !isClosed }
    var isReused: Bool { served > 0 }
    /// Whether only the connection's end may come: the response is complete, or none is expected.
    var expectsNothing: Bool { running == nil || running?.download == .complete }
    var isUpgraded: Bool { running?.download == .upgraded }
    var cut: Cut { running?.cut ?? .idle }
    /// Whether the response is complete, and the server still takes the rest of the request's body.
    var awaitsUpload: Bool {
        guard keepsAlive, !isClosed, let running else { return false }
        return running.download == .complete && running.upload == .sending && !running.endsWithAnswer
    }

    /// - Parameter isHeldBack: whether the head is sent with the end of the body
    mutating func begin(_ upload: Upload, upgrade: String? = nil, isHead: Bool = false, isHeldBack: Bool = false) {
        running = ExchangeProgress(upload: upload)
        running?.headIsUnsent = isHeldBack
        self.upgrade = upgrade
        self.isHead = isHead
        body = nil
        keepsAlive = true
    }

    /// Whether bytes may arrive now: bytes that came before the request cannot be its answer (RFC 9112 §9.2).
    mutating func bytesArrived() -> Bool {
        guard let running, running.download != .complete, !running.headIsUnsent else { return false }
        self.running?.hasBytes = true
        return true
    }

    /// Notes that a part of a head has arrived.
    mutating func headBegan() { running?.isInHead = true }

    /// Judges a head.
    ///
    /// - Parameter head: has one `Content-Length` at most
    mutating func receivedHead(_ head: ResponseHead) -> HeadVerdict {
        guard var current = running, current.download == .awaitingHead else { return .refuse(.unexpectedBytes) }
        if head.status == .switchingProtocols {
            guard isAskedFor(head) else { return .refuse(.unaskedUpgrade) }
            keepsAlive = false
        }
        if head.status.code >= 200 {
            do throws(Refusal) { body = try ResponseBodyReader(head, isHead: isHead) } catch { return .refuse(error) }
            keepsAlive = Self.keepsAlive(head)
        }
        let verdict = current.received(status: head.status.code, isWhole: body?.isComplete == true)
        if body?.isComplete == true { current.download = .complete }
        if current.upload == .sending, head.isHTML { current.endsWithAnswer = true }
        running = current
        return verdict
    }

    private func isAskedFor(_ switching: ResponseHead) -> Bool {
        guard let upgrade, switching.version == .http11 else { return false }
        return switching.fields[values: .upgrade].map(\.asciiLowercased) == [upgrade]
            && switching.hasConnectionOption("upgrade")
    }

    /// Whether the server keeps the connection after a response (RFC 9112 §9.3).
    private static func keepsAlive(_ head: ResponseHead) -> Bool {
        if head.version != .http10 { return !head.hasConnectionOption("close") }
        return head.hasConnectionOption("keep-alive") && !head.hasConnectionOption("close")
            && !head.fields.has(.transferEncoding)
    }

    /// Moves bytes of the body out of a buffer, and leaves an unfinished line in it, and what follows the response.
    mutating func receivedBody(_ buffer: inout ByteBuffer, into bytes: inout BurstBytes) throws(Refusal) {
        try body?.read(&buffer, into: &bytes)
        if body?.isComplete == true { running?.download = .complete }
    }

    /// Notes that the server has ended the connection. Returns true if that is the end of the response.
    mutating func receivedEnd() -> Bool {
        defer { keepsAlive = false }
        guard isUpgraded || running?.download == .body && body?.endsWithConnection == true else { return false }
        running?.download = .complete
        return true
    }

    /// Forbids another exchange: something came after the response's end. The response stands.
    mutating func refuseReuse() { keepsAlive = false }

    /// Ends the wait for `100 Continue`. Returns true if the body may be sent now.
    mutating func continueTimedOut() -> Bool { running?.continueTimedOut() ?? false }

    mutating func bodySent() { running?.bodySent() }

    mutating func headWasUnsent() { running?.headIsUnsent = true }

    /// Completes the exchange. Returns true if the connection can serve another one.
    mutating func finish() -> Bool {
        defer {
            running = nil
            served += 1
        }
        guard !isClosed, let running else { return false }
        return keepsAlive && running.upload == .sent && running.download == .complete
    }

    /// Whether the request may be sent again after a failure now.
    func mayRetry(isIdempotent: Bool) -> Bool {
        running?.mayRetry(isReused: isReused, isIdempotent: isIdempotent) ?? false
    }

    mutating func abandon() { running = nil }

    mutating func close() { isClosed = true }
}
