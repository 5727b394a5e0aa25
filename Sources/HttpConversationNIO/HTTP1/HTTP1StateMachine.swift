import HttpConvFormats
import HttpConversation
import NIOHTTP1

/// The state of one HTTP/1.1 connection (RFC 9112). Does no I/O.
struct HTTP1StateMachine {
    typealias Refusal = ExchangeProgress.Refusal
    typealias Upload = ExchangeProgress.Upload
    typealias HeadVerdict = ExchangeProgress.HeadVerdict
    typealias Cut = ExchangeProgress.Cut

    static let maximumInterimResponses = ExchangeProgress.maximumInterimResponses

    private(set) var running: ExchangeProgress?
    private(set) var isClosed = false
    /// The number of exchanges before the current one.
    private(set) var served = 0
    private var keepsAlive = true
    /// The protocol that the running exchange asks for.
    private var upgrade: String?

    var canBegin: Bool { running == nil && !isClosed }
    var isReused: Bool { served > 0 }
    var isWaitingForHead: Bool { running?.download == .awaitingHead }
    /// Whether only the connection's end may come: the response is complete, or none is expected.
    var expectsNothing: Bool { running == nil || running?.download == .complete }
    var isUpgraded: Bool { running?.download == .upgraded }
    var cut: Cut { running?.cut ?? .idle }

    mutating func begin(_ upload: Upload, upgrade: String? = nil) {
        running = ExchangeProgress(upload: upload)
        self.upgrade = upgrade
        keepsAlive = true
    }

    /// Whether bytes may arrive now.
    mutating func bytesArrived() -> Bool {
        guard running != nil, running?.download != .complete else { return false }
        running?.hasBytes = true
        return true
    }

    mutating func receivedHead(_ head: HTTPResponseHead) -> HeadVerdict {
        guard var current = running, current.download == .awaitingHead else { return .refuse(.unexpectedBytes) }
        defer { running = current }
        if (200...999).contains(head.status.code) {
            if let refusal = Self.framingFault(head) { return .refuse(refusal) }
            keepsAlive =
                head.isKeepAlive && !(head.version.minor == 0 && head.headers.contains(name: "transfer-encoding"))
        }
        if head.status == .switchingProtocols {
            guard let upgrade, head.version == .http1_1, head.headers["upgrade"].map(\.asciiLowercased) == [upgrade],
                head.headers[canonicalForm: "connection"].contains(where: { $0.asciiLowercased == "upgrade" })
            else { return .refuse(.unaskedUpgrade) }
            keepsAlive = false
        }
        return current.received(status: head.status.code)
    }

    private static func framingFault(_ head: HTTPResponseHead) -> Refusal? {
        guard let coding = head.headers.first(name: "transfer-encoding") else { return nil }
        if head.headers.contains(name: "content-length") { return .transferEncodingAndLength }
        let isChunked = coding.asciiLowercased == "chunked" && head.headers["transfer-encoding"].count == 1
        return isChunked ? nil : .unknownTransferEncoding
    }

    mutating func receivedEnd() { running?.download = .complete }

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
