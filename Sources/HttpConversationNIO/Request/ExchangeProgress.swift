/// The progress of one exchange: the request's body and the response (RFC 9110 §15.2).
struct ExchangeProgress {
    /// The reason to refuse a response.
    enum Refusal: Error, Equatable {
        case head(ResponseHeadReader.Fault)
        case unexpectedBytes
        case unaskedUpgrade
        case tooManyInterimResponses
        case transferEncodingAndLength
        case unknownTransferEncoding
        case invalidStatus
        case invalidLength
        case invalidChunk
        case invalidTrailer
        case largeTrailers
    }

    enum Upload: Equatable {
        case awaitingContinue
        /// The body is for the protocol that the connection is to change to.
        case awaitingUpgrade
        case sending
        case sent
        /// The response came first; the rest of the body is not sent.
        case stopped
    }

    enum Download: Equatable {
        case awaitingHead
        case body
        /// The connection has changed to another protocol, and ends with it.
        case upgraded
        case complete
    }

    enum HeadVerdict: Equatable {
        case interim
        /// 100: the body may be sent.
        case sendBody
        /// 101: the connection speaks the other protocol from now on.
        case upgraded
        case final
        /// A response that accepts the body instead of 100: the body has to be sent meanwhile.
        case finalBeforeBody
        case refuse(Refusal)
    }

    /// The stage of an exchange when its connection ended.
    enum Cut: Equatable {
        case beforeResponse
        case inHead
        case inBody
        case idle
    }

    static let maximumInterimResponses = 50

    var upload: Upload
    var download = Download.awaitingHead
    var hasBytes = false
    /// Whether a part of a head has arrived. A complete interim response (1xx) does not count.
    var isInHead = false
    /// Whether the server has not seen the request: its head is held back, or could not be written.
    var headIsUnsent = false
    /// Whether the rest of the body is not sent once the answer is complete, because it may be the page of a login: it is
    /// HTML.
    var endsWithAnswer = false
    private var interim = 0

    init(upload: Upload) { self.upload = upload }

    var cut: Cut {
        switch download {
        case .awaitingHead: isInHead ? .inHead : .beforeResponse
        case .body, .upgraded: .inBody
        case .complete: .idle
        }
    }

    /// Judges a head that arrived, interim or final.
    ///
    /// - Parameter isWhole: whether no body follows it
    mutating func received(status code: Int, isWhole: Bool) -> HeadVerdict {
        isInHead = false
        guard (100...999).contains(code) else { return .refuse(.invalidStatus) }
        if code == 101 {
            guard upload == .awaitingUpgrade else { return .refuse(.unaskedUpgrade) }
            upload = .sending
            download = .upgraded
            return .upgraded
        }
        if code < 200 {
            interim += 1
            guard interim <= Self.maximumInterimResponses else { return .refuse(.tooManyInterimResponses) }
            guard code == 100, upload == .awaitingContinue else { return .interim }
            upload = .sending
            return .sendBody
        }
        download = .body
        switch upload {
        // The request was complete without the body of the other protocol.
        case .awaitingUpgrade: upload = .sent
        // A server may accept a body and answer while it reads it. Any other answer makes the rest useless.
        case .sending where code < 300: break
        case .awaitingContinue where code < 300 && !isWhole:
            upload = .sending
            return .finalBeforeBody
        case .sending, .awaitingContinue, .stopped: upload = .stopped
        case .sent: break
        }
        return .final
    }

    /// Ends the wait for `100 Continue`. Returns true if the body may be sent now.
    mutating func continueTimedOut() -> Bool {
        guard upload == .awaitingContinue else { return false }
        upload = .sending
        return true
    }

    mutating func bodySent() {
        headIsUnsent = false
        if upload == .sending { upload = .sent }
    }

    /// Whether the request may be sent again after a failure now (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    func mayRetry(isReused: Bool, isIdempotent: Bool) -> Bool {
        isReused && !hasBytes && (isIdempotent || headIsUnsent)
    }
}
