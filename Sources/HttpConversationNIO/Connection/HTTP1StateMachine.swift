import HttpConversation
import NIOHTTP1

/// What one HTTP/1.1 connection is doing (RFC 9112); does no I/O.
struct HTTP1StateMachine {
    /// A response that must not be believed.
    enum Refusal: Error, Equatable {
        case unexpectedBytes
        case unaskedUpgrade
        case tooManyInterimResponses
        case transferEncodingAndLength
        case unknownTransferEncoding
        case invalidStatus
    }

    enum Upload: Equatable {
        case awaitingContinue
        case sending
        case sent
        /// The response came first; the rest of the body is not sent.
        case stopped
    }

    enum Download: Equatable {
        case awaitingHead
        case body
        case complete
    }

    enum HeadVerdict: Equatable {
        case interim
        /// 100: the body may go.
        case sendBody
        case final
        case refuse(Refusal)
    }

    /// Where an exchange was when its connection ended.
    enum Cut: Equatable {
        case beforeResponse
        case inHead
        case inBody
        case idle
    }

    struct Running {
        var upload: Upload
        var download = Download.awaitingHead
        var keepsAlive = true
        var hasBytes = false
        var interim = 0
        /// The head could not be written: the server has not seen the request.
        var headIsUnsent = false
    }

    static let maximumInterimResponses = 50

    private(set) var running: Running?
    private(set) var isClosed = false
    /// Exchanges before the current one.
    private(set) var served = 0

    var canBegin: Bool { running == nil && !isClosed }
    var isReused: Bool { served > 0 }
    var isWaitingForHead: Bool { running?.download == .awaitingHead }
    /// The response is there to its end, or none is awaited: nothing may come but the end of the connection.
    var expectsNothing: Bool { running == nil || running?.download == .complete }

    mutating func begin(_ upload: Upload) { running = Running(upload: upload) }

    /// Whether bytes may arrive now.
    mutating func bytesArrived() -> Bool {
        guard running != nil, running?.download != .complete else { return false }
        running?.hasBytes = true
        return true
    }

    mutating func receivedHead(_ head: HTTPResponseHead) -> HeadVerdict {
        guard var current = running, current.download == .awaitingHead else { return .refuse(.unexpectedBytes) }
        defer { running = current }
        let code = head.status.code
        guard (100...999).contains(code) else { return .refuse(.invalidStatus) }
        if code == 101 { return .refuse(.unaskedUpgrade) }
        if code < 200 {
            current.interim += 1
            guard current.interim <= Self.maximumInterimResponses else { return .refuse(.tooManyInterimResponses) }
            guard code == 100, current.upload == .awaitingContinue else { return .interim }
            current.upload = .sending
            return .sendBody
        }
        if let refusal = Self.framingFault(head) { return .refuse(refusal) }
        current.download = .body
        current.keepsAlive =
            head.isKeepAlive && !(head.version.minor == 0 && head.headers.contains(name: "transfer-encoding"))
        if current.upload != .sent { current.upload = .stopped }
        return .final
    }

    private static func framingFault(_ head: HTTPResponseHead) -> Refusal? {
        guard let coding = head.headers.first(name: "transfer-encoding") else { return nil }
        if head.headers.contains(name: "content-length") { return .transferEncodingAndLength }
        let isChunked = coding.asciiLowercased == "chunked" && head.headers["transfer-encoding"].count == 1
        return isChunked ? nil : .unknownTransferEncoding
    }

    mutating func receivedEnd() { running?.download = .complete }

    /// Something came after the response's end: it stands, but the connection serves no other.
    mutating func refuseReuse() { running?.keepsAlive = false }

    /// The wait for `100 Continue` is over; true where the body may go now.
    mutating func continueTimedOut() -> Bool {
        guard running?.upload == .awaitingContinue else { return false }
        running?.upload = .sending
        return true
    }

    mutating func bodySent() { if running?.upload == .sending { running?.upload = .sent } }

    mutating func headWasUnsent() { running?.headIsUnsent = true }

    /// The exchange is complete; true where the connection can serve another.
    mutating func finish() -> Bool {
        defer {
            running = nil
            served += 1
        }
        guard !isClosed, let running else { return false }
        return running.keepsAlive && running.upload == .sent && running.download == .complete
    }

    /// Whether a failure now may be answered by sending the request once more (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    func mayRetry(isIdempotent: Bool) -> Bool {
        guard let running, isReused, !running.hasBytes else { return false }
        return isIdempotent || running.headIsUnsent
    }

    var cut: Cut {
        guard let running else { return .idle }
        switch running.download {
        case .awaitingHead: return running.hasBytes ? .inHead : .beforeResponse
        case .body: return .inBody
        case .complete: return .idle
        }
    }

    mutating func abandon() { running = nil }

    mutating func close() { isClosed = true }
}
